/** Several histories on one folder that remove old segments while the others rely on their texts. */
import { expect, test } from 'vitest';
import { historyIn, MB, record } from '../history/kit.ts';
import { randomFrom } from '../kit/random.ts';
import { temporaryFolder } from '../kit/temp.ts';

test('no text that a change in the record names is removed, whoever keeps it', async () => {
  const random = randomFrom(7);
  const folder = await temporaryFolder();
  const limits = { maxBytes: 0.6 * MB, segmentBytes: 20_000 };
  // Few texts, so that most are kept by another history than the one that names them.
  const texts = Array.from({ length: 60 }, (_, n) => Buffer.from(`${n} ${random()}\n`.repeat(40)));
  const pick = () => texts[Math.floor(random() * texts.length)]!;
  for (let round = 0; round < 8; round++) {
    const histories = [historyIn(folder, limits), historyIn(folder, limits), historyIn(folder, limits)];
    await Promise.all(
      histories.map(async (history) => {
        for (let n = 0; n < 150; n++) await record(history, `${n % 9}.md`, { before: pick(), after: pick() });
      }),
    );
    const changes = await histories[0]!.list({}, 10_000);
    expect(changes.length).toBeGreaterThan(100);
    const named = new Set(changes.flatMap(({ edits }) => [edits[0]!.before!, edits[0]!.after!]));
    for (const hash of named) expect(await histories[1]!.text(hash), hash).toBeDefined();
    expect(await histories[0]!.size()).toBeLessThan(limits.maxBytes + 3 * limits.segmentBytes);
    for (const history of histories) await history.close();
  }
});
