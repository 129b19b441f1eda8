/** Paths that the documentation names exist, and the map of the source covers all of it. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const PAGES = ['README.md', 'CONTRIBUTING.md', 'AGENTS.md', ...pagesBelow('docs')];
const FILES = [...filesBelow('src'), ...filesBelow('test'), ...filesBelow('scripts')];
const NAMES = new Set(FILES.map((file) => basename(file)));

/** Text in backticks; a path with a placeholder or a glob in it names no file. */
const CODE = /`([^`\n<>*…]+)`/g;
const FROM_ROOT = /^(?:src|test|scripts|docs|bench|deploy|examples)\/[\w./-]+$/;
const LINK = /\]\((?![a-z]+:)([^)#\s]+)/g;

function filesBelow(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map((name) =>
    join(folder, name),
  );
}

function pagesBelow(folder: string): string[] {
  return filesBelow(folder).filter((file) => file.endsWith('.md'));
}

const textOf = (page: string) => readFileSync(join(ROOT, page), 'utf8');
const exists = (path: string) => existsSync(join(ROOT, path));

function missingFrom(page: string): string[] {
  const named = [...textOf(page).matchAll(CODE)].map(([, code = '']) => code);
  const paths = named.filter((code) => FROM_ROOT.test(code) && !exists(code));
  const sources = named.filter(
    (code) =>
      /^[\w/-]+(?:\.test)?\.ts$/.test(code) &&
      !FROM_ROOT.test(code) &&
      !FILES.some((file) => endsWith(file, code)),
  );
  return [...paths, ...sources];
}

function endsWith(file: string, code: string): boolean {
  return code.includes('/') ? file.endsWith(`/${code}`) : NAMES.has(code);
}

test.each(PAGES)('%s names only files and folders that exist', (page) => {
  expect(missingFrom(page)).toEqual([]);
});

test.each(PAGES)('%s links only to files that exist', (page) => {
  const targets = [...textOf(page).matchAll(LINK)].map(([, target = '']) => join(dirname(page), target));
  expect(targets.filter((target) => !exists(target))).toEqual([]);
});

test('docs/README.md lists every page', () => {
  const index = textOf('docs/README.md');
  const pages = pagesBelow('docs').filter((page) => !/README\.md$|\/decisions\//.test(page));
  expect(pages.filter((page) => !index.includes(`](${page.slice('docs/'.length)})`))).toEqual([]);
});

test('docs/understand/architecture.md has a row for every folder of src, and for no other', () => {
  const [, table = ''] =
    /## The rooms\n([\s\S]*?)\n## /.exec(textOf('docs/understand/architecture.md')) ?? [];
  const rows = [...table.matchAll(/^\| `src\/(\w+)` \|/gm)].map(([, room]) => room);
  const rooms = readdirSync(join(ROOT, 'src'), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name);
  expect(rows.sort()).toEqual(rooms.sort());
});

test('docs/understand/dependencies.md has every dependency', () => {
  const { dependencies, devDependencies, optionalDependencies } = JSON.parse(textOf('package.json'));
  const page = textOf('docs/understand/dependencies.md');
  const named = Object.keys({ ...dependencies, ...devDependencies, ...optionalDependencies });
  const isNamed = (name: string) =>
    page.includes(`\`${name}\``) || page.includes(`\`-${name.split(/\/(?:server-)?/).at(-1)}\``);
  expect(named.filter((name) => !isNamed(name) && !name.startsWith('@types/'))).toEqual([]);
});
