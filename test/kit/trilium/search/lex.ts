/** A query in tokens: words first, and from the first sign of structure on a structure. */
export interface Token {
  readonly token: string;
  readonly inQuotes: boolean;
  readonly startIndex: number;
  readonly endIndex: number;
}

export interface LexedQuery {
  readonly fulltextTokens: readonly Token[];
  readonly structuredExpressionTokens: readonly Token[];
}

const TOKEN =
  /"((?:[^"\\]|\\.)*)"?|'((?:[^'\\]|\\.)*)'?|`((?:[^`\\]|\\.)*)`?|([()])|(!=|<=|>=|\*=\*|=\*|\*=|%=|~=|~\*|=|<|>)|([#~]?!?[^\s()=<>*%!"`]+)|(\S)/g;

export function lex(query: string): LexedQuery {
  const { start, words } = fulltextEnd(query);
  return { fulltextTokens: words, structuredExpressionTokens: tokensFrom(query, start) };
}

function tokensFrom(query: string, start: number): Token[] {
  const tokens = [...query.slice(start).matchAll(TOKEN)].map((found): Token => {
    const quoted = found[1] ?? found[2] ?? found[3];
    return {
      token: (quoted?.replace(/\\(.)/g, '$1') ?? found[0]).toLowerCase(),
      inQuotes: quoted !== undefined,
      startIndex: start + found.index,
      endIndex: start + found.index + found[0].length - 1,
    };
  });
  // A bare `#` only says that an expression follows.
  return tokens.filter(({ token, inQuotes }) => inQuotes || !/^[#~]$/.test(token));
}

/**
 * Words go on until a `#`, a `~`, or a word that is exactly `note` and has a dot behind it. A bracket is a part of its
 * word: `(note.title` is one, and what stands right before a `#` is dropped without a word.
 */
function fulltextEnd(query: string): { readonly start: number; readonly words: Token[] } {
  const words: Token[] = [];
  let word = '';
  let from = 0;
  let quote = '';
  const finish = (end: number, inQuotes = false) => {
    if (word !== '' || inQuotes)
      words.push({ token: word.toLowerCase(), inQuotes, startIndex: from, endIndex: end });
    word = '';
  };
  for (let at = 0; at < query.length; at++) {
    const sign = query[at] as string;
    if (word === '' && quote === '') from = at;
    if (sign === '\\' && at + 1 < query.length) word += query[++at];
    else if (quote !== '') {
      if (sign === quote) {
        quote = '';
        finish(at, true);
      } else word += sign;
    } else if (/["'`]/.test(sign) && word === '') quote = sign;
    else if (sign === '#' || sign === '~') return { start: at, words };
    else if (sign === '.' && word.toLowerCase() === 'note') return { start: from, words };
    else if (/\s/.test(sign)) finish(at - 1);
    else word += sign;
  }
  finish(query.length - 1);
  return { start: query.length, words };
}
