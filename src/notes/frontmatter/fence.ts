/**
 * Where SilverBullet sees frontmatter: a first line of exactly `---`, at least one line, and another line of
 * exactly `---`, which may be the last of the page. What stands between is not looked at. A byte order mark
 * before it and CRLF are accepted.
 */
import { BOM } from '../text.ts';

/** The offset behind the closing line and its line break; undefined when there is no such block. */
export function fencedBlockEnd(text: string): number | undefined {
  const opening = /^---\r?\n/.exec(text.slice(text.startsWith(BOM) ? 1 : 0));
  if (!opening) return undefined;
  const first = (text.startsWith(BOM) ? 1 : 0) + opening[0].length;
  const between = text.indexOf('\n', first);
  if (between < 0) return undefined;
  const closing = /^---(?:\r?\n|\r?$(?![\s\S]))/gm;
  closing.lastIndex = between + 1;
  const found = closing.exec(text);
  return found ? found.index + found[0].length : undefined;
}
