import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cases } from '../../test/kit/cases.ts';
import { printable } from '../shared/printable.ts';
import { type Column, cutTo, tableOf, widthOf, wrapTo } from './table.ts';

type Row = readonly string[];
const COLUMNS: readonly Column<Row>[] = [
  { title: 'Name', value: (row) => row[0] ?? '', min: 8, priority: 3 },
  { title: 'State', value: (row) => row[1] ?? '', priority: 2 },
  { title: 'Description', value: (row) => row[2] ?? '', min: 10, priority: 1 },
];
const plain = (width: number) => ({ width, color: false });

const hostile = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 60 }),
  fc.string({ unit: 'grapheme', maxLength: 60 }),
  fc
    .array(
      fc.constantFrom(
        '\n',
        '\r',
        '\t',
        '  ',
        '\x1b[31m',
        '\x1b]0;x\x07',
        '\u202e',
        '\u2028',
        '漢字',
        '👩‍👩‍👧',
        'é',
        'a',
      ),
      {
        maxLength: 30,
      },
    )
    .map((parts) => parts.join('')),
);

describe('a table', () => {
  it('has lines for the titles and each row, none wider than the terminal, whatever is in it, and loses nothing', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(hostile, hostile, hostile), { maxLength: 5 }),
        fc.integer({ min: 1, max: 140 }),
        (rows, width) => {
          const { lines, rows: own } = tableOf(COLUMNS, rows, plain(width));
          expect(lines.slice(1)).toEqual(own.flat());
          expect(own).toHaveLength(rows.length);
          // Further lines of a row begin with a space, so that they are no rows.
          if (width > 8)
            for (const [, ...further] of own) for (const line of further) expect(line).toMatch(/^ |^$/);
          for (const line of lines) {
            expect(widthOf(line)).toBeLessThanOrEqual(width);
            expect(line).not.toMatch(/[\p{Cc}\u202a-\u202e\u2066-\u2069\u2028\u2029]/u);
          }
        },
      ),
      { numRuns: cases(300) },
    );
  });

  it('lets no cell look like two cells', () => {
    const { lines } = tableOf(COLUMNS, [['evil  trusted  ok', 'x', 'y']], plain(80));
    expect(lines[1]?.split(/ {2,}/)).toEqual(['evil trusted ok', 'x', 'y']);
  });

  it('takes room from the widest column first, and wraps between words', () => {
    const { lines, hidden } = tableOf(COLUMNS, [['server-one', 'ready', 'a long description']], plain(30));
    expect(lines).toEqual([
      'Name        State  Description',
      'server-one  ready  a long',
      '                   description',
    ]);
    expect(hidden).toEqual([]);
  });

  it('leaves the least important columns out when even their narrowest form has no room', () => {
    const { lines, hidden } = tableOf(COLUMNS, [['server-one', 'ready', 'a long description']], plain(16));
    expect(lines).toEqual(['Name       State', 'server-on  ready', '  e']);
    expect(hidden).toEqual(['Description']);
  });

  it.each([60, 80, 120])('says a long reason whole at %i columns', (width) => {
    const reason =
      'command_not_allowlisted: put the command into stdio_allowed_commands of this server, after you looked at it';
    const { lines, hidden } = tableOf(COLUMNS, [['files', 'blocked', reason]], plain(width));
    expect(hidden).toEqual([]);
    for (const line of lines) expect(widthOf(line)).toBeLessThanOrEqual(width);
    const at = lines[0]?.indexOf('Description');
    expect(
      lines
        .slice(1)
        .map((line) => line.slice(at))
        .join(' '),
    ).toBe(reason);
  });

  it('cuts nothing where there is no width', () => {
    const long = 'word '.repeat(2_000).trim();
    expect(tableOf(COLUMNS, [['a', 'b', long]], plain(Number.POSITIVE_INFINITY)).lines[1]).toContain(long);
  });

  it('keeps columns straight behind wide letters and emoji', () => {
    const rows = [
      ['漢字', 'a', ''],
      ['👩‍👩‍👧', 'b', ''],
      ['🇩🇪', 'c', ''],
      ['ééé', 'd', ''],
    ];
    const { lines } = tableOf(COLUMNS.slice(0, 2), rows, plain(80));
    const columns = lines.slice(1).map((line) => widthOf(line.slice(0, line.search(/[a-d]$/))));
    expect(new Set(columns)).toEqual(new Set([6]));
  });

  it('is plain without colour and bold in its head with it', () => {
    expect(tableOf(COLUMNS, [], plain(80)).lines[0]).toBe('Name  State  Description');
    expect(tableOf(COLUMNS, [], { width: 80, color: true }).lines[0]).toBe(
      '\u001b[1mName  State  Description\u001b[22m',
    );
  });

  it('shows a dash where there is nothing, so that a row is never empty', () => {
    expect(tableOf(COLUMNS, [['', '\u200b', '\x1b[2J']], plain(80)).lines[1]).toBe('-     -      -');
  });

  it('puts numbers to the right when asked', () => {
    const score: Column<number> = { title: 'Score', value: String, priority: 1, align: 'right' };
    expect(tableOf([score], [7, 42], plain(80)).lines).toEqual(['Score', '    7', '   42']);
  });
});

describe('printable', () => {
  it.each([
    ['\x1b[31mred\x1b[0m', 'red'],
    ['\x1b]8;;https://evil.example\x07text\x1b]8;;\x07', 'text'],
    ['\x9b2Jgone', 'gone'],
    ['a\nb\r\nc\td', 'a b c d'],
    ['abc\u202efdp.exe', 'abcfdp.exe'],
    ['a\u200bb\u2060c\ufeffd\u00ade', 'abcde'],
    ['tag\u{e0041}\u{e0042}s', 'tags'],
    ['\ud800x', '\ufffdx'],
    ['می\u200cخواهم', 'می\u200cخواهم'],
    [`z${'\u0301'.repeat(100)}`, `z${'\u0301'.repeat(4)}`],
  ])('%j is %j', (text, shown) => {
    expect(printable(text)).toBe(shown);
  });

  it('has an end', () => {
    expect(printable('x'.repeat(1_000_000), 10)).toBe(`${'x'.repeat(9)}…`);
  });

  it('is the same when it is done again, and has no control characters', () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const once = printable(text);
        expect(printable(once)).toBe(once);
        expect(once).not.toMatch(/[\p{Cc}\u2028\u2029]/u);
      }),
      { numRuns: cases(500) },
    );
  });
});

describe('the width of a text', () => {
  it.each([
    ['abc', 3],
    ['漢字', 4],
    ['ｆｕ', 4],
    ['e\u0301', 1],
    ['👍', 2],
    ['👍🏽', 2],
    ['❤️', 2],
    ['🇩🇪', 2],
    ['한국', 4],
  ])('%s takes %i columns', (text, width) => {
    expect(widthOf(text)).toBe(width);
  });

  it('is kept when a text is cut, and no letter is cut in two', () => {
    expect(cutTo('漢字漢字', 4)).toBe('漢…');
    expect(cutTo('abcdef', 1)).toBe('…');
    expect(cutTo('abc', 0)).toBe('');
  });

  it('is never more than asked for when a text is wrapped, and nothing is lost', () => {
    fc.assert(
      fc.property(hostile, fc.integer({ min: 2, max: 40 }), (text, width) => {
        const clean = printable(text);
        const lines = wrapTo(clean, width);
        for (const line of lines) expect(widthOf(line)).toBeLessThanOrEqual(Math.max(width, widest(clean)));
        expect(lines.join('').replaceAll(' ', '')).toBe(clean.replaceAll(' ', ''));
      }),
      { numRuns: cases(300) },
    );
  });
});

/** Of one letter with all its marks, which cannot be broken. */
function widest(text: string): number {
  const letters = [...new Intl.Segmenter('en').segment(text)];
  return Math.max(0, ...letters.map(({ segment }) => widthOf(segment)));
}
