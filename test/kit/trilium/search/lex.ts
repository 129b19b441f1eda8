/** A query in tokens: words first, and from the first sign of structure on a structure. */
export interface Token {
  readonly token: string;
  readonly inQuotes: boolean;
  readonly startIndex: number;
  readonly endIndex: number;
}

export interface Lexed {
  readonly fulltextTokens: readonly Token[];
  readonly structuredExpressionTokens: readonly Token[];
}

const TOKEN =
  /"((?:[^"\\]|\\.)*)"?|'((?:[^'\\]|\\.)*)'?|`((?:[^`\\]|\\.)*)`?|([()])|(!=|<=|>=|\*=\*|=\*|\*=|%=|~=|~\*|=|<|>)|([#~]?!?[^\s()=<>*%!"`]+)|(\S)/g;

export function lex(query: string): Lexed {
  const tokens = [...query.matchAll(TOKEN)].map((found): Token => {
    const quoted = found[1] ?? found[2] ?? found[3];
    return {
      token: (quoted?.replace(/\\(.)/g, '$1') ?? found[0]).toLowerCase(),
      inQuotes: quoted !== undefined,
      startIndex: found.index,
      endIndex: found.index + found[0].length - 1,
    };
  });
  const start = tokens.findIndex(isStructure);
  return start < 0
    ? { fulltextTokens: tokens, structuredExpressionTokens: [] }
    : { fulltextTokens: tokens.slice(0, start), structuredExpressionTokens: tokens.slice(start) };
}

function isStructure({ token, inQuotes }: Token): boolean {
  return !inQuotes && (/^[#~]./.test(token) || token.startsWith('note.') || token === '(');
}
