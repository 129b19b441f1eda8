/** Whether words are shown rather than said: quoted, and introduced as an example or as what is looked for. */

const BEFORE = 160;
const AFTER = 120;
const CUE =
  /\b(?:e\.g\.|eg\.?|i\.e\.|such as|for example|for instance|examples?|samples?|like|detects?|detecting|detection|flags?|flagging|scans?|scanning|finds?|checks?|blocks?|blocking|catch(?:es)?|matches|recogni[sz]es?|known|phrases?|strings?|patterns?|attacks?|payloads?|prompts? that|contains?|containing|text(?:s)?|wording|attempts?|jailbreaks?|injections?|filters?|sanitizes?|rejects?|reports?|classif(?:y|ies))\b/;
const OPENING = /["'`«(<[]/;
const QUOTES = ['"', '`', "'", '«»', '“”'] as const;

/** The place of a hit in a text that was folded but kept its marks. */
export function isIllustrative(folded: string, at: number, length: number): boolean {
  const before = folded.slice(Math.max(0, at - BEFORE), at + 1);
  const after = folded.slice(at + length - 1, at + length + AFTER);
  return CUE.test(before) && OPENING.test(before) && isQuoted(before, after);
}

function isQuoted(before: string, after: string): boolean {
  return QUOTES.some((quote) => {
    const opening = quote[0] ?? '';
    const closing = quote.at(-1) ?? '';
    return opening === closing
      ? count(before, opening) % 2 === 1 && after.includes(closing)
      : before.lastIndexOf(opening) > before.lastIndexOf(closing) && after.includes(closing);
  });
}

/** An apostrophe within a word is no quotation mark. */
function count(text: string, mark: string): number {
  const marks = mark === "'" ? text.replace(/\w'\w/g, '') : text;
  return marks.split(mark).length - 1;
}
