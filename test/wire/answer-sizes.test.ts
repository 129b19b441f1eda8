/** What answers cost the model that reads them: bytes of whole results, over notes as people have them. */
import { expect, test } from 'vitest';
import { answerJson, startProgram, type ToolClient, withFolder, withVault } from '../kit/server.ts';
import { temporaryFolder } from '../kit/temp.ts';

const PEOPLE = ['Hanna', 'Ruben', 'Priya', 'Tomasz', 'Ingrid', 'Mateo'];
const PROJECTS = ['harbour-crane', 'night-ferry', 'tide-tables', 'pilot-boat'];
const SENTENCES = [
  'The steel cable of the harbour crane was replaced after the inspection found two broken strands.',
  'We agreed that the supplier delivers "by the end of the quarter", and that the price stays as it was.',
  'The budget for the quay is 48,000 euros, of which a third is for the survey of the sea bed.',
  'Nobody was sure whether the insurance covers the storm damage to the second crane.',
  'The night ferry leaves at ten past eleven; its ramp needs a new hinge before the winter timetable.',
];

/** Long paths, frontmatter, headings, paragraphs and lists; the same notes every time. */
function notes(): Record<string, string> {
  const made: Record<string, string> = {};
  for (let number = 0; number < 60; number++) {
    const project = PROJECTS[number % PROJECTS.length]!;
    const person = PEOPLE[number % PEOPLE.length]!;
    const day = `2026-${String(1 + (number % 12)).padStart(2, '0')}-${String(1 + (number % 28)).padStart(2, '0')}`;
    const said = (at: number) => SENTENCES[(number + at) % SENTENCES.length]!;
    const sections = ['Agenda', 'What was decided about the crane', 'Open questions', 'Next steps'].map(
      (heading, at) =>
        `## ${heading}\n\n${person}: ${said(at)} ${said(at + 1)}\n\n- ${said(at + 2)}\n- [ ] ${person} asks the port authority about the crane.\n`,
    );
    made[`projects/${project}/meetings/${day} weekly meeting ${number}.md`] =
      `---\ntags: [meeting, ${project}]\n---\n# Weekly meeting ${number}, ${day}\n\n${sections.join('\n')}`;
  }
  return made;
}

const QUESTION = 'What did we decide about the cable of the harbour crane?';

async function bytesOf({ client }: Pick<ToolClient, 'client'>, name: string, args: Record<string, unknown>) {
  const result = await client.callTool({ name, arguments: args });
  expect(result.isError, JSON.stringify(result)).not.toBe(true);
  if (result.structuredContent) expect(JSON.stringify(result.content).length).toBeLessThan(800);
  return { bytes: Buffer.byteLength(JSON.stringify(result)), value: answerJson(result) };
}

test('ten hits of search_notes are under 2.5 KB, and fewer hits have longer excerpts', async () => {
  const notebook = await withFolder(notes());
  const ten = await bytesOf(notebook, 'search_notes', { query: QUESTION, limit: 10 });
  expect(ten.value).toHaveLength(10);
  expect(ten.bytes).toBeLessThan(2_500);
  for (const { ex } of ten.value) expect(ex.length).toBeGreaterThan(40);
  expect(ten.value[0].ex).toMatch(/Agenda|What was decided about the crane|Open questions|Next steps/);
  const three = await bytesOf(notebook, 'search_notes', { query: QUESTION, limit: 3 });
  expect(three.value[0].ex.length).toBeGreaterThan(1.5 * ten.value[0].ex.length);
  expect(three.bytes).toBeLessThan(2_500);
});

test('ten results of vault_search are under 2.5 KB', async () => {
  const vault = await withVault(notes());
  const { bytes, value } = await bytesOf(vault, 'vault_search', { query: QUESTION, max_results: 10 });
  expect(value.results).toHaveLength(10);
  expect(bytes).toBeLessThan(2_500);
});

test('ten passages of sb_recall are under 8 KB, a list of them under 2 KB, and sb_ask under 2.5 KB', async () => {
  const brain = await startProgram(['brain', await temporaryFolder(notes()), '--embeddings', 'off']);
  const recalled = await bytesOf(brain, 'sb_recall', { query: QUESTION });
  expect(recalled.value.results).toHaveLength(10);
  expect(recalled.bytes).toBeLessThan(8_000);
  const listed = await bytesOf(brain, 'sb_recall', { query: QUESTION, include_text: false });
  expect(listed.value.results).toHaveLength(10);
  expect(listed.bytes).toBeLessThan(2_000);
  const asked = await bytesOf(brain, 'sb_ask', { question: QUESTION });
  expect(asked.value.answer).toContain('cable');
  expect(asked.bytes).toBeLessThan(2_500);
});

test('headings that are whole sentences leave the same room to what stands under them', async () => {
  const made: Record<string, string> = {};
  for (let number = 0; number < 30; number++) {
    const heading = `${SENTENCES.slice(0, 3).join(' ')} ${number}`;
    made[`crane/${number}.md`] = `# ${heading}\n\n## ${heading}\n\n${SENTENCES[number % 5]} ${number}\n`;
  }
  const notebook = await withFolder(made);
  const ten = await bytesOf(notebook, 'search_notes', { query: QUESTION, limit: 10 });
  expect(ten.value).toHaveLength(10);
  expect(ten.bytes).toBeLessThan(2_500);
  for (const { t, ex } of ten.value) expect([t.endsWith('…'), ex.length > 40]).toEqual([true, true]);
  const one = await bytesOf(notebook, 'search_notes', { query: QUESTION, limit: 1 });
  expect(one.value[0].t).toMatch(/^The steel cable.* \d+$/);
  const brain = await startProgram(['brain', await temporaryFolder(made), '--embeddings', 'off']);
  expect((await bytesOf(brain, 'sb_recall', { query: QUESTION })).bytes).toBeLessThan(8_000);
  const listed = await bytesOf(brain, 'sb_recall', { query: QUESTION, include_text: false });
  expect(listed.value.results).toHaveLength(10);
  expect(listed.bytes).toBeLessThan(2_000);
});

const SCRIPTS: Readonly<Record<string, { question: string; sentences: readonly string[] }>> = {
  Cyrillic: {
    question: 'Когда заменили стальной трос портового крана?',
    sentences: [
      'Стальной трос портового крана заменили после осмотра, при котором нашли две оборванные пряди; работы продолжались до позднего вечера среды.',
      'Поставщик обещал привезти новый трос до конца квартала, и цена портового крана осталась прежней, как было записано в прошлом году.',
      'Никто не был уверен, что страховка покрывает ущерб от бури, которая повредила второй портовый кран и склад на причале.',
    ],
  },
  Han: {
    question: '港口起重机的钢缆什么时候更换的？',
    sentences: [
      '港口起重机的钢缆在检查发现两股断裂之后于星期三更换，整个工作一直持续到深夜，参加的有六名技术人员和两名来自供应商的工程师。',
      '供应商答应在本季度末之前交付新的钢缆，港口起重机的价格保持不变，这一点在去年的会议记录里也写得很清楚。',
      '没有人知道保险是否包括暴风雨对第二台港口起重机以及码头仓库造成的损失。',
    ],
  },
  Thai: {
    question: 'สายเคเบิลเหล็กของปั้นจั่นท่าเรือเปลี่ยนเมื่อไร',
    sentences: [
      'สายเคเบิลเหล็กของปั้นจั่นท่าเรือถูกเปลี่ยนหลังจากการตรวจสอบพบเส้นลวดขาดสองเส้น และงานดำเนินต่อไปจนถึงดึกของวันพุธ โดยมีช่างหกคนช่วยกัน',
      'ผู้จัดหาสัญญาว่าจะส่งสายเคเบิลใหม่ภายในสิ้นไตรมาส และราคาของปั้นจั่นท่าเรือยังคงเท่าเดิมตามที่บันทึกไว้เมื่อปีที่แล้ว',
    ],
  },
};

test.each(Object.entries(SCRIPTS))(
  'the same holds in other scripts: %s',
  async (_, { question, sentences }) => {
    const made: Record<string, string> = {};
    for (let number = 0; number < 30; number++) {
      const said = (at: number) => sentences[(number + at) % sentences.length]!;
      made[`встречи/2026-${10 + (number % 3)}-${10 + (number % 18)} ${number}.md`] =
        `# ${said(0).slice(0, 24)} ${number}\n\n## ${said(1).slice(0, 30)}\n\n${[0, 1, 2, 3].map((at) => `${said(at)} ${number}`).join('\n\n')}\n`;
    }
    const notebook = await withFolder(made);
    const ten = await bytesOf(notebook, 'search_notes', { query: question, limit: 10 });
    expect(ten.value).toHaveLength(10);
    expect(ten.bytes).toBeLessThan(2_500);
    for (const { ex } of ten.value) expect(ex.length).toBeGreaterThan(8);
    const brain = await startProgram(['brain', await temporaryFolder(made), '--embeddings', 'off']);
    const recalled = await bytesOf(brain, 'sb_recall', { query: question });
    expect(recalled.value.results.length).toBeGreaterThan(5);
    expect(recalled.bytes).toBeLessThan(8_000);
    const asked = await bytesOf(brain, 'sb_ask', { question });
    expect(asked.value.answer).not.toBe('');
    expect(asked.bytes).toBeLessThan(2_500);
  },
);
