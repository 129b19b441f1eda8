/** Frontmatter belongs to prose. In a data file (`.json`, `.yaml`, `.csv`) a leading `---` is data, and adding one would break it. */
import { AppError } from '../../shared/errors.ts';
import { extensionOf, type NotePath } from '../path.ts';

const DATA = new Set([
  '.json',
  '.jsonc',
  '.jsonl',
  '.yaml',
  '.yml',
  '.toml',
  '.csv',
  '.tsv',
  '.xml',
  '.canvas',
  '.base',
  '.svg',
  '.html',
]);

export function takesFrontmatter(path: string): boolean {
  return !DATA.has(extensionOf(path));
}

export function assertTakesFrontmatter(path: NotePath): void {
  if (takesFrontmatter(path)) return;
  throw new AppError('unsupported', 'No frontmatter in this kind of file', {
    subject: path,
    hint: `Nothing was changed. ${extensionOf(path)} files hold data; edit them with patch_note or write_note.`,
  });
}
