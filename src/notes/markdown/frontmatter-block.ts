/** Where the frontmatter stands, as ranges of the note's text. What counts as frontmatter is the splitter's to say. */
import { splitFrontmatter } from '../frontmatter/split.ts';
import type { Range } from './range.ts';

export interface FrontmatterBlock extends Range {
  /** The YAML between the two marker lines. */
  readonly body: Range;
}

/** `start` is the opening dash, `end` is behind the closing line's line break. */
export function frontmatterBlock(text: string): FrontmatterBlock | undefined {
  const span = splitFrontmatter(text);
  if (!span) return undefined;
  return { start: span.bom ? 1 : 0, end: span.bodyStart, body: { start: span.yamlStart, end: span.yamlEnd } };
}
