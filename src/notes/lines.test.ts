import fc from 'fast-check';
import { expect, test } from 'vitest';
import { countLines, type LinePage, linePage } from './markdown/lines.ts';

const text = fc
  .array(fc.constantFrom('a', 'bc', '\n', '\r\n', '\r', '😀', 'é', '\u2028', ' '), { maxLength: 60 })
  .map((pieces) => pieces.join(''));

/** As `wc -l` counts, plus a last line that has no end. */
const plainCount = (whole: string) =>
  (whole.match(/\n/g)?.length ?? 0) + (whole !== '' && !whole.endsWith('\n') ? 1 : 0);

test('lines are counted as editors do', () => {
  fc.assert(fc.property(text, (whole) => countLines(whole) === plainCount(whole)));
});

test('a range is those lines to the letter', () => {
  fc.assert(
    fc.property(text, fc.nat(12), fc.nat(12), (whole, skip, limit) => {
      const lines = whole.split(/(?<=\n)/);
      fc.pre(skip < countLines(whole));
      const page = linePage(whole, { offset: skip + 1, limit, column: 1 }, Number.POSITIVE_INFINITY);
      const wanted = limit === 0 ? lines.slice(skip) : lines.slice(skip, skip + limit);
      expect(page).toEqual({
        total: countLines(whole),
        first: skip + 1,
        last: skip + wanted.length,
        text: wanted.join(''),
      });
    }),
  );
});

test('pages of any size, put together, are the text, and none is over its budget or ends in half a character', () => {
  fc.assert(
    fc.property(text, fc.integer({ min: 2, max: 20 }), (whole, budget) => {
      let put = '';
      let at: LinePage['next'] = { offset: 1, column: 1 };
      for (let pages = 0; at && pages < 200; pages++) {
        const page: LinePage = linePage(whole, { ...at, limit: 0 }, budget);
        expect(page.text.length).toBeLessThanOrEqual(budget);
        expect(page.text.isWellFormed()).toBe(true);
        put += page.text;
        at = page.next;
      }
      expect(put).toBe(whole);
    }),
  );
});
