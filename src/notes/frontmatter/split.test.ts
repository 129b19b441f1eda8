import { describe, expect, it } from 'vitest';
import { processorTime } from '../../../test/kit/processor-time.ts';
import { splitFrontmatter } from './split.ts';

describe('splitFrontmatter', () => {
  const blocks: [string, string, string][] = [
    ['---\na: 1\n---\nbody', 'a: 1\n', 'body'],
    ['---\r\na: 1\r\n---\r\nbody', 'a: 1\r\n', 'body'],
    ['\uFEFF---\na: 1\n---\nbody', 'a: 1\n', 'body'],
    ['--- \t\na: 1\n---  \nbody', 'a: 1\n', 'body'],
    ['---\na: 1\n...\nbody', 'a: 1\n', 'body'],
    ['---\na: 1\n---', 'a: 1\n', ''],
    ['---\na: 1\n---\n\n---\nb\n', 'a: 1\n', '\n---\nb\n'],
    ['---\n---\nbody', '', 'body'],
    ['---\n\n---\n', '\n', ''],
    ['---\n# only a comment\n---\n', '# only a comment\n', ''],
    ['---\n\n# c\n  a: 1\n---\n', '\n# c\n  a: 1\n', ''],
    ['---\na:\n  - x\n---\n', 'a:\n  - x\n', ''],
    ['---\n"a b": 1\n---\n', '"a b": 1\n', ''],
    ["---\n'a': 1\n---\n", "'a': 1\n", ''],
    ['---\n{a: 1}\n---\n', '{a: 1}\n', ''],
    ['---\n? a\n: 1\n---\n', '? a\n: 1\n', ''],
    ['---\n&x\na: 1\n---\n', '&x\na: 1\n', ''],
    ['---\n!!map\na: 1\n---\n', '!!map\na: 1\n', ''],
    ['---\nTitel mit Wörtern: 1\n---\n', 'Titel mit Wörtern: 1\n', ''],
    ['---\na: [broken\n---\n', 'a: [broken\n', ''],
    ['---\nforgot the colon\ntitle: x\n---\n', 'forgot the colon\ntitle: x\n', ''],
    ['---\na: |\n  ---\n---\n', 'a: |\n  ---\n', ''],
  ];
  for (const [text, yaml, body] of blocks)
    it(`finds the block in ${JSON.stringify(text)}`, () => {
      const span = splitFrontmatter(text);
      expect(span).toBeDefined();
      expect(text.slice(span?.yamlStart, span?.yamlEnd)).toBe(yaml);
      expect(text.slice(span?.bodyStart)).toBe(body);
      expect(span?.bom).toBe(text.startsWith('\uFEFF'));
    });

  const none = [
    '',
    '---',
    '---\n',
    'a: 1\n---\n',
    '\n---\na: 1\n---\n',
    ' ---\na: 1\n---\n',
    '----\na: 1\n----\n',
    '---js\na: 1\n---\n',
    '--- # comment\na: 1\n---\n',
    '---\na: 1\n',
    '---\na: 1\n --- \n',
    '---\nSome prose\n---\n',
    '---\n\nSome prose.\nNote: it goes on.\n\n---\n',
    '---\n- a: list\n- b\n---\n',
    '---\n**Bold:** text\n---\n',
    '---\n[link]: http://x.example\n---\n',
    '---\n> Quote: text\n---\n',
    '---\n![image](x.png): y\n---\n',
    '---\nsee https://x.example/a\n---\n',
    '---\n{{template}}\n---\n',
    '---\nprose # with: comment\n---\n',
  ];
  for (const text of none)
    it(`finds none in ${JSON.stringify(text)}`, () => {
      expect(splitFrontmatter(text)).toBeUndefined();
    });

  it('takes linear time', () => {
    const hostile = [
      `---\n${'"\\'.repeat(500_000)}`,
      `---\n${'-\n'.repeat(500_000)}`,
      `---\na${' '.repeat(1_000_000)}`,
    ];
    const spent = processorTime();
    for (const text of hostile) splitFrontmatter(`${text}\n---\n`);
    expect(spent()).toBeLessThan(2_000);
  });
});
