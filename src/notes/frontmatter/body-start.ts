import { BOM } from '../text.ts';
import { splitFrontmatter } from './split.ts';

/** Where a note's text begins: after the frontmatter, or after the byte order mark. */
export function bodyStartOf(text: string): number {
  return splitFrontmatter(text)?.bodyStart ?? (text.startsWith(BOM) ? 1 : 0);
}
