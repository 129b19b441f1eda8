import { expect, test } from 'vitest';
import type { NotePath } from '../path.ts';
import type { NoteEntry } from '../searcher.ts';
import { evaluate, type World } from './evaluate.ts';
import { parseExpression } from './expression.ts';
import { unsupportedIn } from './inspect.ts';
import { toJson } from './values.ts';

const NOTE: NoteEntry = {
  path: 'work/Plan.md' as NotePath,
  title: 'Plan',
  size: 10,
  lastModified: new Date(2026, 4, 27, 10).getTime(),
  length: 3,
  frontmatter: {
    price: 3.456,
    list: [3, 1, 2, 2],
    due: '2026-05-27',
    name: 'hello world',
    obj: { a: 1 },
    done: false,
  },
  frontmatterTags: ['book/new'],
  inlineTags: [],
};

const world = (): World => ({
  now: new Date(2026, 4, 27, 12).getTime(),
  base: 'lists/x.base' as NotePath,
  formulas: new Map([
    ['loop', parseExpression('formula.loop + 1')],
    ['two', parseExpression('1 + 1')],
  ]),
  note: (path) => (path === NOTE.path ? NOTE : undefined),
  resolve: (target) => (target === 'Plan' ? NOTE.path : undefined),
  budget: { steps: 1_000 },
});

const run = (source: string) => toJson(evaluate(parseExpression(source), NOTE, world()));

test.each([
  ['1 + 2 * 3 - 4 / 2', 5],
  ['-(2 + 3) % 3', -2],
  ['!done && price > 3', true],
  ['missing == null', true],
  ['missing > 3', false],
  ['missing.isEmpty()', true],
  ['price.toFixed(2) + " dollars"', '3.46 dollars'],
  ['price.round(1)', 3.5],
  ['list.sort().unique().join("-")', '1-2-3'],
  ['list.filter(value > 1).map(value * 10)', [30, 20, 20]],
  ['list.reduce(acc + value, 0)', 8],
  ['list[0] + list.length', 7],
  ['obj.a + note["price"].floor()', 4],
  ['name.title().split(" ").reverse()', ['World', 'Hello']],
  ['name.slice(1, 4).contains("ell")', true],
  ['name.replace("o", "0")', 'hell0 w0rld'],
  ['if(done, "yes")', undefined],
  ['if(price, "yes", "no")', 'yes'],
  ['due == today()', true],
  ['due < now()', true],
  ['due == "2026-05-27"', true],
  ['date(due) + "1M" + "4h"', '2026-06-27T04:00:00'],
  ['(now() + "1d") - now()', 86_400_000],
  ['due.format("DD.MM.YYYY [at] dddd")', '27.05.2026 at Wednesday'],
  ['due.year + due.month', 2031],
  ['now() - (duration("1h") * 2)', '2026-05-27T10:00:00'],
  ['file.mtime > now() - "1 week"', true],
  ['file.hasTag("book")', true],
  ['file.hasTag("boo")', false],
  ['file.inFolder("work") && file.name == "Plan.md"', true],
  ['file.hasProperty("price")', true],
  ['link("Plan") == file', true],
  ['this.file.folder', 'lists'],
  ['formula.two', 2],
  ['[1, [2, 3]].flat().containsAll(2, 3)', true],
  ['list(name).isType("list")', true],
  ['max(1, 5, 3) + min(4, 2) + number("3.5")', 10.5],
  ["'it\\'s'", "it's"],
  ['constructor', undefined],
  ['obj.__proto__', undefined],
])('%s', (source, expected) => {
  expect(run(source)).toEqual(expected);
});

test.each([
  ['formula.loop', 'which uses itself'],
  ['missing.lower()', 'calls lower() of a value of type null'],
  ['"x".repeat(1000000)', 'makes too long a text'],
  ['list.map(list.map(list.map(list.map(list.map(list.map(value))))))', 'takes too many steps'],
  ['due.format("Qo")', 'has the date format "Q", which is not supported'],
  ['date("soon")', 'which is no date'],
  ['name * 2', 'needs a number'],
])('%s fails and says why', (source, message) => {
  expect(() => run(source)).toThrow(message);
});

test.each([
  ['', 'is not complete at its end'],
  ['1 +', 'is not complete at its end'],
  ['(1', 'lacks ")" at its end'],
  ['a b', 'has something it should not have before "b"'],
  ['a = 1', 'has a sign that is not understood'],
  ['/x/', 'has a regular expression'],
  [`${'('.repeat(500)}1`, 'is nested more than 40 deep'],
  [`${'!'.repeat(500)}1`, 'is nested more than 40 deep'],
  ['x'.repeat(3_000), 'is longer than 2000 characters'],
])('%s is refused', (source, message) => {
  expect(() => parseExpression(source)).toThrow(message);
});

test('what is not supported is named', () => {
  expect(unsupportedIn(parseExpression('random() + file.ctime + name.relative() + icon("x")'))).toEqual(
    expect.arrayContaining(['random()', 'file.ctime', '.relative()', 'icon()']),
  );
});
