import fc from 'fast-check';
import { expect, test } from 'vitest';
import { lineDiff } from './unified-diff.ts';

test('equal texts differ in nothing', () => {
  expect(lineDiff('a\nb\n', 'a\nb\n')).toBe('');
});

test('a changed line with the lines around it', () => {
  const lines = Array.from({ length: 20 }, (_, i) => `line ${i + 1}`);
  const before = `${lines.join('\n')}\n`;
  const after = before.replace('line 10\n', 'LINE 10\n').replace('line 20\n', '');
  expect(lineDiff(before, after)).toBe(
    [
      '@@ -7,7 +7,7 @@',
      ' line 7',
      ' line 8',
      ' line 9',
      '-line 10',
      '+LINE 10',
      ' line 11',
      ' line 12',
      ' line 13',
      '@@ -17,4 +17,3 @@',
      ' line 17',
      ' line 18',
      ' line 19',
      '-line 20',
    ].join('\n'),
  );
});

test('a missing line break at the end is a difference', () => {
  expect(lineDiff('a', 'a\n')).toBe('@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+a');
});

test('two huge texts without a common line are shown as one replaced by the other', () => {
  const many = (word: string) => `${Array.from({ length: 3_000 }, (_, i) => `${word} ${i}`).join('\n')}\n`;
  const diff = lineDiff(many('a'), many('b')).split('\n');
  expect(diff[0]).toBe('@@ -1,3000 +1,3000 @@');
  expect(diff).toHaveLength(6_001);
});

/** As `patch` would: every line that is kept or taken away must be there. */
function patched(before: string, diff: string): string {
  const old = before.split('\n').map((line, at, all) => (at < all.length - 1 ? `${line}\n` : line));
  const fresh: string[] = [];
  let at = 0;
  const lines = diff.split('\n').map((line) => `${line}\n`);
  for (const [index, line] of lines.entries()) {
    const start = /^@@ -(\d+)(?:,(\d+))? /.exec(line);
    if (start) {
      const from = Number(start[1]) - (start[2] === '0' ? 0 : 1);
      fresh.push(...old.slice(at, from));
      at = from;
    } else if (!line.startsWith('\\')) {
      const whole = lines[index + 1]?.startsWith('\\') ? line.slice(1, -1) : line.slice(1);
      if (line[0] !== '+') expect(old[at++]).toBe(whole);
      if (line[0] !== '-') fresh.push(whole);
    }
  }
  return [...fresh, ...old.slice(at)].join('');
}

test('whatever the texts, the difference makes the second of the first', () => {
  const text = fc
    .array(fc.constantFrom('a', 'b', 'c', '', 'long line'), { maxLength: 24 })
    .chain((lines) => fc.constantFrom(lines.join('\n'), `${lines.join('\n')}\n`));
  fc.assert(
    fc.property(text, text, (before, after) => {
      const diff = lineDiff(before, after);
      expect(diff === '' ? before : patched(before, diff)).toBe(after);
    }),
  );
});
