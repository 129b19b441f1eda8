/**
 * What SilverBullet itself can open. Its file interface takes more than its editor: a page "Release 1.2" could be
 * saved and never be opened there. For names about to be made; what exists stays reachable.
 */
import { extensionOf, type NotePath, nameOf } from '../../notes/path.ts';
import { AppError } from '../../shared/errors.ts';

interface Rule {
  /** Of a page without its `.md`, of another file whole. */
  readonly breaks: RegExp;
  readonly because: string;
  readonly mend: (name: string) => string;
  readonly pagesOnly?: true;
}

const RULES: readonly Rule[] = [
  {
    breaks: /^\^/,
    because: 'begins with ^',
    mend: (name) => name.replace(/^\^+/, ''),
  },
  {
    breaks: /[@#|<>$]/,
    because: 'holds one of @ # | < > $',
    mend: (name) => name.replace(/\s*[@#|<>$]+\s*/g, '-').replace(/-+(?=\/|$)|(?<=^|\/)-+/g, ''),
  },
  {
    breaks: /\[\[|\]\]/,
    because: 'holds [[ or ]]',
    mend: (name) => name.replaceAll('[[', '(').replaceAll(']]', ')'),
  },
  {
    breaks: /\.md$/i,
    because: 'ends in .md twice',
    mend: (name) => name.replace(/(?:\.md)+$/i, ''),
    pagesOnly: true,
  },
  {
    breaks: /\.[\p{L}\p{N}]+$/u,
    because: 'ends in a dot and letters or digits, which SilverBullet takes for the kind of file',
    mend: (name) => name.replace(/\.([\p{L}\p{N}]+)$/u, '-$1'),
    pagesOnly: true,
  },
];

export function assertPageName(path: NotePath): void {
  const extension = extensionOf(path);
  if (extension === '')
    throw invalid(path, 'has no extension, and SilverBullet does not show such files', `${path}.md`);
  const isPage = path.endsWith('.md');
  const name = isPage ? path.slice(0, -'.md'.length) : path;
  const broken = RULES.find((rule) => (isPage || !rule.pagesOnly) && rule.breaks.test(name));
  if (broken) throw invalid(path, broken.because, `${suggestionFor(name, isPage)}${isPage ? '.md' : ''}`);
}

function suggestionFor(name: string, isPage: boolean): string {
  let mended = name;
  // A second round, because mending one thing may bring another to light.
  for (let round = 0; round < 2; round++)
    for (const rule of RULES) if (isPage || !rule.pagesOnly) mended = rule.mend(mended);
  return nameOf(mended).trim() === '' ? `${mended}Untitled` : mended;
}

function invalid(path: NotePath, because: string, suggestion: string): AppError {
  return new AppError('invalid_input', 'Invalid page name', {
    subject: path,
    hint: `SilverBullet could not open it: the name ${because}. Use "${suggestion}" instead.`,
  });
}
