import { appendFile, readFile, writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { beginLine, ChangeLog, Changes, endLine } from '../../src/history/change-log.ts';
import { temporaryFolder } from '../kit/temp.ts';
import { bytes, filesOf, historyIn, ORIGIN, record } from './kit.ts';

test('what a change undoes is written once, however many notes it edits', async () => {
  const folder = await temporaryFolder();
  const history = historyIn(folder);
  const undoes = Array.from({ length: 500 }, (_, n) => `${n}`.padStart(16, '0'));
  const recorder = history.record({ ...ORIGIN, undoes });
  for (let n = 0; n < 500; n++)
    await (await recorder.begin({ kind: 'write', path: `${n}.md` }, { after: bytes('x') })).done();
  expect((await readFile(filesOf(folder, '.changes')[0]!)).length).toBeLessThan(200_000);
  const [found] = await history.list({ path: '0.md' });
  expect(found).toMatchObject({ undoes });
  expect(found!.edits).toHaveLength(500);
});

test('damaged lines and a torn last line cost only themselves', async () => {
  const folder = await temporaryFolder();
  const writer = historyIn(folder);
  const made: string[] = [];
  for (const name of ['a', 'b', 'c']) made.push(await record(writer, `${name}.md`, { after: bytes(name) }));
  await writer.close();
  const file = filesOf(folder, '.changes')[0]!;
  const lines = (await readFile(file, 'utf8')).split('\n');
  const damage = [
    'null',
    '7',
    '[]',
    '"x"',
    '{}',
    '{"id":1}',
    '{"id":"x"}',
    '{"end":{}}',
    '\u0000\u0000',
    '{"id":"',
  ];
  await writeFile(
    file,
    [...lines.slice(0, 2), ...damage, `${lines[2]!.slice(0, 40)}`, ...lines.slice(3)].join('\n'),
  );
  await appendFile(file, lines[0]!.slice(0, 60));
  const history = historyIn(folder);
  expect((await history.list()).map(({ id }) => id)).toEqual([made[2], made[0]]);
  expect((await history.list({ path: 'a.md' })).map(({ id }) => id)).toEqual([made[0]]);
  expect(await history.list({ under: 'x' })).toEqual([]);
  // Goes on behind the last whole line.
  const fourth = await record(history, 'd.md', { after: bytes('d') });
  expect((await history.list()).map(({ id }) => id)).toEqual([fourth, made[2], made[0]]);
  await history.recover(async () => 'unknown');
  await history.prune();
});

test('no text in a path or a name can pass for a line of another change', () => {
  const head = { ...ORIGIN, id: 'a'.repeat(16), group: 'g', at: 1 };
  const evil = `"path":"b.md"},"x":{"id":"${'b'.repeat(16)}"\n{"end":"${'a'.repeat(16)}","n":0,"state":"failed"}`;
  const log = new ChangeLog(
    Buffer.concat([
      beginLine({ ...head, by: { client: evil } }, { n: 0 }, { kind: 'create', path: evil, title: evil }),
      endLine(head.id, 0, 'done', { trashedTo: evil }),
    ]),
  );
  for (const filter of [{ path: 'b.md' }, { ids: new Set(['b'.repeat(16)]) }, { under: 'b.md' }]) {
    const found = new Changes();
    log.collect(filter, 10, found);
    expect(found.list()).toEqual([]);
  }
  const found = new Changes();
  log.collect({ path: evil }, 10, found);
  expect(found.list()).toMatchObject([
    { id: head.id, edits: [{ path: evil, state: 'done', trashedTo: evil }] },
  ]);
});

test('100,000 changes are listed by path quickly', async () => {
  const hash = 'h'.repeat(32);
  const lines: Buffer[] = [];
  for (let n = 0; n < 100_000; n++) {
    const id = n.toString(32).padStart(16, '0');
    const edit = {
      kind: 'write',
      path: `folder ${n % 97}/note ${n % 4_001}.md`,
      before: hash,
      after: hash,
    } as const;
    lines.push(beginLine({ ...ORIGIN, id, group: `g${id}`, at: n }, { n: 0 }, edit), endLine(id, 0, 'done'));
  }
  const log = new ChangeLog(Buffer.concat(lines));
  const times: number[] = [];
  for (let round = 0; round < 5; round++) {
    const begun = performance.now();
    const found = new Changes();
    log.collect({ path: 'folder 7/note 7.md' }, 50, found);
    expect(found.list().length).toBeGreaterThan(0);
    times.push(performance.now() - begun);
  }
  // Far more than it takes, for a busy machine.
  expect(Math.min(...times)).toBeLessThan(200);
});
