/** Which files the brain reads, and how. */
import { extensionOf } from '../notes/path.ts';

export const TEXT_EXTENSIONS: readonly string[] = ['.md', '.markdown', '.txt'];

export function isTextNote(path: string): boolean {
  return TEXT_EXTENSIONS.includes(extensionOf(path));
}

export function isMarkdown(path: string): boolean {
  return extensionOf(path) !== '.txt';
}
