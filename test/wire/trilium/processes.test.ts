/** Two Quires, each a process of its own, in front of one Trilium: what is answered with success is there. */
import { expect, test } from 'vitest';
import { startProgram } from '../../kit/server.ts';
import { temporaryFolder } from '../../kit/temp.ts';
import { isLive, liveServer } from '../../kit/trilium/live.ts';
import { TOKEN } from '../../kit/trilium/server.ts';
import { withTrilium } from './support.ts';

const APPENDS = 30;
/** Of the fake, so that the requests of both processes overlap. */
const LATENCY_MS = 3;

test('of 30 racing appends each that is answered with success is there, once and whole', async () => {
  const trilium = await withTrilium([{ id: 'abcd', title: 'A', content: '<p>start</p>' }]);
  if (!isLive) trilium.fake.faults.latencyMs = () => LATENCY_MS;
  const { url, token } = isLive ? liveServer : { url: trilium.fake.url, token: TOKEN };
  const noteId = (await trilium.note('abcd'))?.noteId;
  const env = { TRILIUM_URL: url, TRILIUM_TOKEN: token, TMPDIR: await temporaryFolder() };
  const quires = await Promise.all([1, 2].map(() => startProgram(['trilium'], { env })));
  const paragraph = (at: number) => `<p>append ${at}.</p>`;
  const answers = await Promise.all(
    Array.from({ length: APPENDS }, (_, at) =>
      quires[at % quires.length]!.call('write_note', { noteId, mode: 'append', content: paragraph(at) }),
    ),
  );
  const text = await trilium.text('abcd');
  const kept = text.split(/(?<=<\/p>)/);
  expect(kept[0]).toBe('<p>start</p>');
  const answered = answers.flatMap(({ isError }, at) => (isError ? [] : [paragraph(at)]));
  expect(answered).toHaveLength(APPENDS);
  expect(kept.slice(1).sort()).toEqual(answered.sort());
});
