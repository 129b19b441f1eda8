/** What somebody prefers: lines tagged #preference, behind "PREFERENCE:", or under a heading Preferences. Never from code. */
import { frontmatterBlock } from '../../notes/markdown/frontmatter-block.ts';
import { codeBlocks, overlapsAny, type Range } from '../../notes/markdown/regions.ts';
import { readingText } from '../answer/reading-text.ts';

const HEADING = /^ {0,3}(#{1,6})[ \t]+(.*?)[ \t#]*$/;
const NAMED = /^(?:my |our |general |personal )?(?:preferences?|präferenzen|vorlieben)\W*$/iu;
const TAG = /(?:^|\s)#preferences?(?![\p{L}\p{N}_/-])/giu;
const MARKER = /^[ \t]*(?:>[ \t]?)*(?:[-*+][ \t]+)?(?:\*\*)?PREFERENCE(?:\*\*)?:(?:\*\*)?[ \t]*/;
const MOST = 100;

export interface Preference extends Range {
  /** As it is read, without the sign that told it. */
  readonly text: string;
}

export interface PreferenceContext {
  /** The headings over the text, outermost first. */
  readonly headings?: readonly string[];
  /** The note as a whole is about preferences. */
  readonly isWhole?: boolean;
}

export function isPreferenceTag(tag: string): boolean {
  return /^preferences?$/i.test(tag);
}

export function preferencesIn(
  text: string,
  { headings = [], isWhole = false }: PreferenceContext = {},
): Preference[] {
  const code = codeBlocks(text);
  const found: Preference[] = [];
  // The level of the heading Preferences that we are under; 0 is above all.
  let under = isWhole || headings.some((heading) => NAMED.test(heading)) ? 0 : undefined;
  for (const line of linesFrom(text, frontmatterBlock(text)?.end ?? 0)) {
    if (found.length === MOST) break;
    const raw = text.slice(line.start, line.end);
    if (overlapsAny(code, line)) continue;
    const [, signs = '', title = ''] = HEADING.exec(raw) ?? [];
    if (signs !== '')
      under = NAMED.test(title) ? signs.length : isStillUnder(under, signs.length) ? under : undefined;
    else if (under !== undefined || MARKER.test(raw) || raw.search(TAG) >= 0)
      found.push(...preferenceAt(raw, line));
  }
  return found;
}

function isStillUnder(under: number | undefined, level: number): boolean {
  return under !== undefined && level > under;
}

function preferenceAt(raw: string, { start }: Range): Preference[] {
  const text = readingText(raw.replace(MARKER, '').replace(TAG, ''));
  const lead = raw.length - raw.trimStart().length;
  return /[\p{L}\p{N}]/u.test(text) ? [{ text, start: start + lead, end: start + raw.trimEnd().length }] : [];
}

function* linesFrom(text: string, from: number): Generator<Range> {
  for (let start = from; start < text.length; ) {
    const newline = text.indexOf('\n', start);
    const end = newline < 0 ? text.length : newline;
    yield { start, end };
    start = end + 1;
  }
}
