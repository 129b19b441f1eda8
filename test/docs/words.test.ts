/** What Quire says to people is plain product English: words that readers stumbled over do not come back. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { transformSync } from 'esbuild';
import { parseAst } from 'vite';
import { expect, test } from 'vitest';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const BANNED =
  /\b(?:doors?|mend(?:s|ed|ing)?|nobody|somebody|whoever|anew|astray|lest|(?:stands?|standing) in the way|(?:be|is|are|was) led to|asks? for patience|say hello|come to rest)\b/i;

/** Lists of words of a language, and a tool definition that clients know by heart. */
const ALLOWED = [
  'src/cli/doctor.ts',
  'src/brain/answer/conflict.ts',
  'src/brain/extract',
  'src/surfaces/brain/extraction-tools.ts',
];

function filesBelow(folder: string, extension: string): string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((file) => file.endsWith(extension) && !file.endsWith('.test.ts'));
}

const textOf = (file: string) => readFileSync(join(ROOT, file), 'utf8');

/** The texts in quotes and backticks, without those of imports. */
function literalsOf(file: string): string[] {
  const { code } = transformSync(textOf(file), { loader: 'ts', target: 'esnext', legalComments: 'none' });
  const literals: string[] = [];
  const visit = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return;
    const { type, value } = node as { type?: string; value?: unknown };
    if (type === 'ImportDeclaration') return;
    if (type === 'Literal' && typeof value === 'string') literals.push(value);
    if (type === 'TemplateElement') literals.push((value as { cooked: string }).cooked);
    Object.values(node).forEach(visit);
  };
  visit(parseAst(code));
  return literals;
}

function bannedIn(texts: readonly string[]): string[] {
  return texts.filter((text) => BANNED.test(text)).map((text) => text.slice(0, 200));
}

test('no text of the program has a word that readers stumble over', () => {
  const files = filesBelow('src', '.ts')
    .filter((file) => !ALLOWED.some((path) => file.startsWith(path)))
    .filter((file) => BANNED.test(textOf(file)));
  const found = files.flatMap((file) => bannedIn(literalsOf(file)).map((text) => `${file}: ${text}`));
  expect(found).toEqual([]);
});

test('no page for people who use or operate Quire has one either', () => {
  const pages = [
    'README.md',
    'deploy/README.md',
    ...filesBelow('docs/use', '.md'),
    ...filesBelow('docs/operate', '.md'),
  ];
  const found = pages.flatMap((page) => bannedIn(textOf(page).split('\n')).map((line) => `${page}: ${line}`));
  expect(found).toEqual([]);
});
