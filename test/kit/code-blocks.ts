/** The code blocks of the documentation, and the commands in them. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('../..', import.meta.url));

export interface CodeBlock {
  /** `docs/use/phone.md:12` */
  readonly place: string;
  readonly page: string;
  readonly language: string;
  readonly text: string;
}

export function pagesBelow(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => join(folder, name));
}

export const PAGES = ['README.md', 'CONTRIBUTING.md', 'deploy/README.md', ...pagesBelow('docs')];

export function textOf(file: string): string {
  return readFileSync(join(ROOT, file), 'utf8');
}

export function blocksOf(page: string): CodeBlock[] {
  const text = textOf(page);
  return [...text.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)].map(
    ({ 1: language = '', 2: code = '', index }) => ({
      place: `${page}:${text.slice(0, index).split('\n').length}`,
      page,
      language,
      text: code,
    }),
  );
}

export function blocksIn(...languages: readonly string[]): CodeBlock[] {
  return PAGES.flatMap(blocksOf).filter(({ language }) => languages.includes(language));
}

/** The commands of a block, one a line, with lines that go on joined and comments left out. */
export function commandsOf({ text }: CodeBlock): string[] {
  return text
    .replaceAll(/\\\n\s*/g, '')
    .split('\n')
    .map((line) => line.replace(/(?:^|\s+)# .*$/, '').trim())
    .filter((line) => line !== '');
}
