import { expect, test } from 'vitest';
import { renamedText } from './rename-tag.ts';

const rename = async (text: string, from = 'old', to = 'new/x') =>
  (await renamedText(text, { from, to }, true)).text;

test.each([
  [
    'a block list, with its comments',
    '---\ntags:\n  - a # old\n  - old\n  - b\n---\n',
    '---\ntags:\n  - a # old\n  - new/x\n  - b\n---\n',
  ],
  ['a flow list', '---\ntags: [a, "old", b]\nold: old\n---\n', '---\ntags: [a, "new/x", b]\nold: old\n---\n'],
  ['words with commas', '---\ntags: a, old, b\n---\n', '---\ntags: a, new/x, b\n---\n'],
  ['one word', '---\ntag: old\n---\n', '---\ntag: new/x\n---\n'],
  [
    'nested ones',
    '---\ntags: [old/deep, older]\n---\n#old/deep #older\n',
    '---\ntags: [new/x/deep, older]\n---\n#new/x/deep #older\n',
  ],
  ['with a hash sign', "---\ntags: ['#old']\n---\n", "---\ntags: ['#new/x']\n---\n"],
  [
    'a list without indentation',
    '---\ntags:\n- old\nother:\n- old\n---\n',
    '---\ntags:\n- new/x\nother:\n- old\n---\n',
  ],
  ['another letter case', '---\ntags: [Old]\n---\n#OLD\n', '---\ntags: [new/x]\n---\n#new/x\n'],
  ['CRLF', '---\r\ntags: [old]\r\n---\r\n#old\r\n', '---\r\ntags: [new/x]\r\n---\r\n#new/x\r\n'],
])('%s keeps everything else byte for byte', async (_, before, after) => {
  expect(await rename(before)).toBe(after);
});

test('what only looks like the tag stays', async () => {
  const text =
    '# old\n`#old` [#old](#old) [[note#old]] https://x.org/#old\n```\n#old\n```\n<a href="#old">x</a> x#old #older\n';
  expect(await rename(text)).toBe(text);
  expect(await rename('#fade #0ff\n', 'fade', 'bright')).toBe('#bright #0ff\n');
});

test('two tags that become one stand once in the frontmatter', async () => {
  expect(await rename('---\ntags: [a, old, new]\n---\n', 'old', 'new')).toBe('---\ntags: [a, new]\n---\n');
  expect(await rename('---\ntags: old, new\n---\n', 'old', 'new')).toBe('---\ntags: new\n---\n');
});

test('frontmatter that is no YAML is left, its text is not', async () => {
  expect(await rename('---\ntags: [old\n---\n#old\n', 'old', 'new')).toContain('#new');
});
