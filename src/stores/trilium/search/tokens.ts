/** A query of Trilium's, taken apart. Words come first; from the first label, relation or property on it has structure. */

export interface QueryToken {
  readonly kind: 'word' | 'quoted' | 'open' | 'close' | 'operator' | 'label' | 'relation' | 'property';
  /** Without quotes. */
  readonly text: string;
  readonly start: number;
  readonly end: number;
  /** Of something in quotes: whether they are closed. */
  readonly isClosed: boolean;
}

const OPERATOR = '\\*=\\*|=\\*|\\*=|%=|!=|<=|>=|~=|~\\*|=|<|>';
const TOKEN = new RegExp(
  [
    /(?<quote>["'`])(?<quoted>(?:\\.|(?!\k<quote>)[^\\])*)(?<closing>\k<quote>?)/.source,
    /(?<paren>[()])/.source,
    `(?<operator>${OPERATOR})`,
    // A word goes on until something begins that cannot be part of one.
    `(?<word>(?:(?!${OPERATOR})[^\\s()])+)`,
  ].join('|'),
  'gs',
);

export function tokensOf(query: string): QueryToken[] {
  return [...query.matchAll(TOKEN)].map((found) => {
    const { quoted, closing, paren, operator, word = '' } = found.groups ?? {};
    const place = { start: found.index, end: found.index + found[0].length, isClosed: true };
    if (quoted !== undefined)
      return { ...place, kind: 'quoted', text: quoted.replace(/\\(.)/gs, '$1'), isClosed: closing !== '' };
    if (paren !== undefined) return { ...place, kind: paren === '(' ? 'open' : 'close', text: paren };
    if (operator !== undefined) return { ...place, kind: 'operator', text: operator };
    return { ...place, kind: kindOf(word), text: word };
  });
}

function kindOf(word: string): QueryToken['kind'] {
  if (/^#!?./.test(word)) return 'label';
  if (/^~!?./.test(word)) return 'relation';
  return /^note\./i.test(word) ? 'property' : 'word';
}

export function isStructural({ kind }: QueryToken): boolean {
  return kind === 'label' || kind === 'relation' || kind === 'property';
}

export const isKeyword = ({ kind, text }: QueryToken, word: string): boolean =>
  kind === 'word' && text.toLowerCase() === word;

/** As one value, whatever stands in it. */
export function quoted(text: string): string {
  const quote = ['"', "'", '`'].find((sign) => !text.includes(sign)) ?? '"';
  const inside = text.replaceAll('\\', '\\\\');
  return `${quote}${text.includes(quote) ? inside.replaceAll(quote, `\\${quote}`) : inside}${quote}`;
}
