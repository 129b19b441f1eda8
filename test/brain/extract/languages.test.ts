/** Words of tasks and decisions by language. */
import { describe, expect, it } from 'vitest';
import { decisionsIn } from '../../../src/brain/extract/ops/extract.ts';
import { openLoopsIn } from '../../kit/extract.ts';

const MEETING = { sourcePath: 'Meetings/2026-11-16.md' };
const NOTE = { sourcePath: 'Ideas.md' };
const kinds = async (text: string, note = MEETING) =>
  (await openLoopsIn(text, note)).filter(({ status }) => status === 'open').map(({ kind }) => kind);
const decisions = async (text: string, note = MEETING) =>
  (await decisionsIn(text, note)).map(({ decision }) => decision);

describe('open loops', () => {
  it.each([
    ['TODO chase HR', 'todo'],
    ['FIXME the boiler drips', 'todo'],
    ['Blocked on the landlord.', 'waiting_for'],
    ['We still need to book the hall.', 'todo'],
    ['Need to renew the passport', 'todo'],
    ['Offen: wer bringt die Leiter?', 'todo'],
    ['Das muss noch geprüft werden.', 'todo'],
    ['À faire : réserver la salle', 'todo'],
    ['Il reste à signer le contrat.', 'todo'],
    ['En attente du retour des voisins', 'waiting_for'],
    ['Seguimos a la espera del permiso', 'waiting_for'],
    ['À espera da resposta da câmara', 'waiting_for'],
    ['Por fazer: comprar terra', 'todo'],
    ['Pendiente: firmar el contrato', 'todo'],
    ['Falta revisar el presupuesto.', 'todo'],
    ['Pendência: assinar o contrato', 'todo'],
    ['Ainda falta revisar o texto.', 'todo'],
    ['待办：预订会议室', 'todo'],
  ])('anywhere: %s', async (line, kind) => {
    expect(await kinds(line, NOTE)).toEqual([kind]);
  });

  it.each([
    ['- Ana will send the draft', 'todo'],
    ['- @ben to call the bank', 'todo'],
    ['- Action - order cables', 'todo'],
    ['- We need to find a room', 'todo'],
    ['- Yannik klärt die Miete', 'todo'],
    ['- Die Website muss überarbeitet werden', 'todo'],
    ['- Il faut relancer la mairie', 'todo'],
    ['- Precisamos de rever o contrato', 'todo'],
    ['- send the invoice (owner: Ana Lima)', 'todo'],
    ['- Rechnung schicken (verantwortlich: Ana)', 'todo'],
    ['- @ben please update the wiki', 'todo'],
    ['- @ben can you send the draft?', 'todo'],
    ['- Laura se encarga del calendario', 'todo'],
    ['- A equipe deve revisar o texto', 'todo'],
  ])('in a record of a meeting, but not elsewhere: %s', async (line, kind) => {
    expect(await kinds(line)).toEqual([kind]);
    expect(await kinds(line, NOTE)).toEqual([]);
  });

  it.each([
    ['# Aufgaben', '- Leiter holen'],
    ['# Actions à mener', '- relancer la mairie'],
    ['# Próximos pasos', '- firmar el contrato'],
    ['# Tarefas', '- assinar o contrato'],
    ['# アクションアイテム', '- 会議室を予約する'],
    ['# Следующие шаги', '- подписать договор'],
  ])('under %s', async (heading, item) => {
    expect(await kinds(`${heading}\n\n${item}\n`, NOTE)).toEqual(['todo']);
  });

  it.each([
    'TODO lists are overrated.',
    'You need to install Node first.',
    'The browser will render the page.',
    'Firefox will support it.',
    'He was waiting for the bus.',
    'Wir müssen nicht mehr warten.',
    '- ✓ order cables',
    '~~- call the bank~~',
  ])('are not in: %s', async (line) => {
    expect(await kinds(line, NOTE)).toEqual([]);
  });

  it('that are done are not open', async () => {
    expect(
      await kinds('# Tasks\n\n- ✓ cables\n- **DONE** paint\n- (erledigt) Leiter\n- chairs – done\n'),
    ).toEqual([]);
  });

  it('have an owner in words', async () => {
    const text = '- TODO order cables (owner: Dora Maar)\n- TODO paint the door @femi\n';
    expect((await openLoopsIn(text, NOTE)).map(({ owner }) => owner)).toEqual(['Dora Maar', 'femi']);
  });

  it('know the people of the frontmatter', async () => {
    const text = '---\npeople: [Ana Lima, Ben]\n---\n\n- TODO call the bank (Ana)\n';
    expect((await openLoopsIn(text, NOTE)).map(({ owner }) => owner)).toEqual(['Ana Lima']);
  });
});

describe('decisions', () => {
  it.each([
    ['- We talked about boats. Decision: buy the red one', 'buy the red one'],
    ['✅ Decision: buy the red one', 'buy the red one'],
    ['RESOLVED: buy the red one', 'buy the red one'],
    ['Final decision: buy the red one', 'buy the red one'],
    ['Beschluss: wir kaufen das rote', 'wir kaufen das rote'],
    ['Décision : on prend le rouge', 'on prend le rouge'],
    ['Acordado: compramos el rojo', 'compramos el rojo'],
    ['Acuerdo 2026-01-02: compramos el rojo', 'compramos el rojo'],
    ['Decisão: compramos o vermelho', 'compramos o vermelho'],
    ['決定事項：赤い船を買う', '赤い船を買う'],
  ])('marked: %s', async (line, decision) => {
    expect(await decisions(line, NOTE)).toEqual([decision]);
  });

  it.each([
    'After a long talk we settled on the red boat.',
    'Es wurde einstimmig beschlossen, das rote Boot zu kaufen.',
    'Wir haben uns auf den 4. Juli geeinigt.',
    'Nous avons décidé de prendre le rouge.',
    'Se decidió comprar el barco rojo.',
    'Foi decidido comprar o barco vermelho.',
  ])('stated: %s', async (line) => {
    expect(await decisions(line, NOTE)).toEqual([line]);
  });

  it.each([
    '- Approved for the next release',
    '- The budget was approved',
    '- Le budget est adopté à 7 voix',
  ])('in a record of a meeting, but not elsewhere: %s', async (line) => {
    expect(await decisions(line)).toHaveLength(1);
    expect(await decisions(line, NOTE)).toEqual([]);
  });

  it('stand in tables, too', async () => {
    const text =
      '| # | Acuerdo/Decisión | Responsable |\n| --- | --- | --- |\n| 1 | Comprar el rojo | Todos |\n';
    expect(await decisions(text, NOTE)).toEqual(['Comprar el rojo']);
  });

  it.each([
    'Es wurde noch nicht entschieden, wer zahlt.',
    'No se acordó nada.',
    'Aucune décision : rien à dire',
    'The promise is rejected when the file is missing.',
  ])('are not in: %s', async (line) => {
    expect(await decisions(line, NOTE)).toEqual([]);
  });
});
