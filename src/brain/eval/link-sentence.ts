/** What a note says around a link, as a question for the note that the link leads to. */
import type { Link } from '../../notes/links/link.ts';
import { sentencesOf } from '../../notes/text/sentences.ts';

const LONGEST = 300;
const WIKILINK = /!?\[\[[^\]|]*\|([^\]]*)\]\]|!?\[\[([^\]]*)\]\]/g;
const INLINE_LINK = /!?\[([^\]]*)\]\([^)]*\)/g;
/** List markers, task boxes, quotes, headings and emphasis. */
const MARKS = /^[\s>]*(?:[-*+]|\d+[.)])?\s*(?:\[.\])?\s+|[*_`~#|>]+/g;

/** The sentence without the link and without markup; empty for a link that stands alone. */
export function linkSentence(text: string, { span }: Pick<Link, 'span'>): string {
  const lineStart = text.lastIndexOf('\n', span.start - 1) + 1;
  const lineEnd = text.indexOf('\n', span.end);
  const line = text.slice(lineStart, lineEnd < 0 ? text.length : lineEnd);
  const at = span.start - lineStart;
  const sentence = sentencesOf(line).find(({ start, end }) => start <= at && at < end);
  if (!sentence) return '';
  const before = line.slice(sentence.start, at);
  const after = line.slice(span.end - lineStart, Math.max(sentence.end, span.end - lineStart));
  return (
    [before, after]
      .map((part) => part.replace(WIKILINK, '$1$2').replace(INLINE_LINK, '$1').replace(MARKS, ' '))
      .join(' ')
      .replace(/\s+/g, ' ')
      // What introduced the link, or followed it: "see [[…]]: the plan for May".
      .replace(/^[\s:;,.–—-]+|\s+$/g, '')
      .slice(0, LONGEST)
  );
}
