/**
 * The page tools themselves on a bad day, called by clients that ask again when they get no good answer: what was
 * acknowledged stands there exactly once, what was not at most once, and everything else is still there.
 */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cases } from '../kit/cases.ts';
import { pagesBackendOver, withPagesOver } from '../kit/server.ts';
import { startSilverBullet } from '../kit/silverbullet/server.ts';
import { DIALECTS, storeOver } from '../silverbullet/kit.ts';
import { unleash, weathers } from '../silverbullet/weather.ts';

const BASE = `---\ntags: [kept]\n---\n${'text that was there before\n'.repeat(60)}`;
const TRIES = 4;

describe.each(DIALECTS)('%s', (dialect) => {
  test('appends and prepends of several clients that ask again', async () => {
    await fc.assert(
      fc.asyncProperty(weathers, async (weather) => {
        const fake = await startSilverBullet({ dialect, files: { 'page.md': BASE } });
        const store = storeOver(fake);
        const backend = pagesBackendOver(store);
        const { call } = await withPagesOver(store, { backend });
        unleash(fake, weather);
        const outcomes = await Promise.all(
          Array.from({ length: weather.appenders * weather.rounds }, async (_, client) => {
            const content = `line of client ${client}.`;
            const tool = client % 3 === 0 ? 'prepend_to_page' : 'append_to_page';
            for (let attempt = 0; attempt < TRIES; attempt++) {
              const { json } = await call(tool, { page: 'page', content });
              if (json.error === undefined) return { content, isAcknowledged: true };
              expect(['conflict', 'upstream']).toContain(json.error);
            }
            return { content, isAcknowledged: false };
          }),
        );
        fake.faults.fate = () => undefined;
        fake.disk.ways.tornMs = () => 0;
        // The next read finds the page whole: a broken one has been repaired by now.
        const { content } = await call('read_page', { page: 'page' });
        const text = String(content[1]?.text);
        expect(text.startsWith('---\ntags: [kept]\n---\n')).toBe(true);
        expect(text).toContain('text that was there before\n'.repeat(60).trimEnd());
        for (const { content: line, isAcknowledged } of outcomes) {
          const times = text.split(line).length - 1;
          if (isAcknowledged) expect({ line, times }).toEqual({ line, times: 1 });
          else expect(times).toBeLessThanOrEqual(1);
        }
      }),
      { numRuns: cases(20) },
    );
  });
});
