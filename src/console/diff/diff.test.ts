import { expect, test } from 'vitest';
import { diffView } from './diff-view.ts';
import { type DiffLine, diffTexts } from './text-diff.ts';

/** A line as `-`, `+` or a space, its numbers, and its text with the changed words in brackets. */
function shown({ kind, before = 0, after = 0, parts }: DiffLine): string {
  const sign = { same: ' ', added: '+', removed: '-' }[kind];
  return `${sign}${before}/${after} ${parts.map(({ text, isChanged }) => (isChanged ? `[${text}]` : text)).join('')}`;
}

const hunks = (before: string, after: string) =>
  diffTexts(before, after).sections.flatMap(({ kind, lines }) => (kind === 'hunk' ? lines.map(shown) : []));

test('the changed words of a line are marked', () => {
  expect(hunks('one\nwater the red tomatoes\ntwo\n', 'one\nwater the green tomatoes\ntwo\n')).toEqual([
    ' 1/1 one',
    '-2/0 water the [red] tomatoes',
    '+0/2 water the [green] tomatoes',
    ' 3/3 two',
  ]);
});

test('lines that have little in common are not marked word by word', () => {
  expect(hunks('alpha beta gamma\n', 'something else entirely\n')).toEqual([
    '-1/0 alpha beta gamma',
    '+0/1 something else entirely',
  ]);
});

test('unchanged lines far from a change are a section of their own', () => {
  const lines = Array.from({ length: 40 }, (_, at) => `line ${at + 1}`);
  const { sections } = diffTexts(lines.join('\n'), lines.with(20, 'another').join('\n'));
  expect(sections.map(({ kind, lines: { length } }) => [kind, length])).toEqual([
    ['unchanged', 17],
    ['hunk', 8],
    ['unchanged', 16],
  ]);
  expect(sections[2]?.lines[0]).toMatchObject({ before: 25, after: 25 });
});

test('a line added before all others, and after them', () => {
  expect(hunks('b\n', 'a\nb\n')).toEqual(['+0/1 a', ' 1/2 b']);
  expect(hunks('a\n', 'a\nb\n')).toEqual([' 1/1 a', '+0/2 b']);
  expect(hunks('', 'a\n')).toEqual(['+0/1 a']);
});

test('line endings and the end of the text are remarks, not lines', () => {
  expect(diffTexts('a\r\nb\r\n', 'a\nb\n')).toEqual({ sections: [], remarks: ['Line endings: CRLF → LF.'] });
  expect(diffTexts('a', 'a\n').remarks).toEqual(['A line break was added at the end.']);
});

test('texts that have nothing in common are compared within a bound', () => {
  const text = (word: string) => Array.from({ length: 20_000 }, (_, at) => `${word} ${at}`).join('\n');
  const started = performance.now();
  const { sections, remarks } = diffTexts(text('old'), text('new'));
  expect(performance.now() - started).toBeLessThan(5_000);
  expect(remarks[0]).toContain('differ too much');
  expect(sections[0]?.omitted).toBe(38_000);
});

test('changed properties are shown by name, and the rest as lines of the note', async () => {
  const note = (status: string, body: string) => `---\nstatus: ${status}\ntags: [a]\n---\n${body}`;
  const { markup } = await diffView(note('open', 'one\n'), note('done', 'two\n'));
  expect(markup).toContain('<b>status</b>: <del>open</del> → <ins>done</ins>');
  expect(markup).not.toContain('<b>tags</b>');
  expect(markup).toContain('<td class="number">5</td>');
});

test('a property that came or went has nothing on the other side', async () => {
  const { markup } = await diffView('---\na: 1\n---\n', '---\nb: [x, y]\n---\n');
  expect(markup).toContain('<b>a</b>: <del>1</del> → <i>none</i>');
  expect(markup).toContain('<b>b</b>: <i>none</i> → <ins>[&#34;x&#34;,&#34;y&#34;]</ins>');
});

test('text of notes is never markup, and what is invisible is shown', async () => {
  const { markup } = await diffView('a', '<img src=x onerror=alert(1)>\u202etxt\u0007');
  expect(markup).not.toContain('<img');
  expect(markup).toContain('<span class="invisible">U+202E</span>');
  expect(markup).toContain('<span class="invisible">U+0007</span>');
});

test('a part of a note has the numbers that its lines have there', async () => {
  const { markup } = await diffView('---\na: 1\n', '---\na: 2\n', { firstLine: { before: 41, after: 42 } });
  expect(markup).toContain('<td class="number">42</td>');
  expect(markup).not.toContain('properties');
});

test('a text of megabytes in one line, and one too long to be compared', async () => {
  const long = 'word '.repeat(200_000);
  const { markup } = await diffView(`${long}one`, `${long}two`);
  expect(markup.length).toBeLessThan(20_000);
  expect((await diffView('a', 'b'.repeat(5_000_000))).markup).toContain('too long to be compared');
});
