/**
 * Reads the expressions of Obsidian's Bases: literals, properties, operators, calls. Nothing is ever run as code; length
 * and nesting are bounded. What is not supported is refused by name.
 */

export type Expression =
  | { readonly type: 'literal'; readonly value: string | number | boolean | null }
  | { readonly type: 'list'; readonly items: readonly Expression[] }
  | { readonly type: 'name'; readonly name: string }
  | { readonly type: 'member'; readonly object: Expression; readonly name: string }
  | { readonly type: 'index'; readonly object: Expression; readonly index: Expression }
  | { readonly type: 'call'; readonly name: string; readonly args: readonly Expression[] }
  | {
      readonly type: 'method';
      readonly object: Expression;
      readonly name: string;
      readonly args: readonly Expression[];
    }
  | { readonly type: 'unary'; readonly operator: string; readonly operand: Expression }
  | {
      readonly type: 'binary';
      readonly operator: string;
      readonly left: Expression;
      readonly right: Expression;
    };

/** Thrown for an expression that is wrong or not supported; the message is the end of a sentence. */
export class ExpressionProblem extends Error {}

interface Token {
  readonly kind: 'number' | 'string' | 'name' | 'sign' | 'end';
  readonly text: string;
}

const TOKEN =
  /\s*(?:(\d+(?:\.\d+)?)|("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')|([\p{L}_$][\p{L}\p{N}\p{M}_$]*)|(&&|\|\||[=!<>]=|[-+*/%!<>()[\],.]))/uy;
const MAX_CHARACTERS = 2_000;
const MAX_DEPTH = 40;

/** From the loosest to the closest. */
const BINARY: readonly (readonly string[])[] = [
  ['||'],
  ['&&'],
  ['==', '!='],
  ['<', '<=', '>', '>='],
  ['+', '-'],
  ['*', '/', '%'],
];

export function parseExpression(source: string): Expression {
  if (source.length > MAX_CHARACTERS)
    throw new ExpressionProblem(`is longer than ${MAX_CHARACTERS} characters`);
  const tokens = tokensOf(source);
  let at = 0;
  let depth = 0;
  const next = () => tokens[at]!;
  const takes = (text: string) => next().kind === 'sign' && next().text === text && ++at > 0;
  const need = (text: string) => {
    if (!takes(text)) throw new ExpressionProblem(`lacks "${text}" ${placeOf(next())}`);
  };
  const deeper = <T>(read: () => T): T => {
    if (++depth > MAX_DEPTH) throw new ExpressionProblem(`is nested more than ${MAX_DEPTH} deep`);
    const result = read();
    depth--;
    return result;
  };

  function binary(level: number): Expression {
    const operators = BINARY[level];
    if (!operators) return unary();
    let left = binary(level + 1);
    for (;;) {
      const { kind, text } = next();
      if (kind !== 'sign' || !operators.includes(text)) return left;
      at++;
      left = { type: 'binary', operator: text, left, right: binary(level + 1) };
    }
  }

  function unary(): Expression {
    for (const operator of ['!', '-'])
      if (takes(operator)) return { type: 'unary', operator, operand: deeper(unary) };
    return postfix(primary());
  }

  function postfix(start: Expression): Expression {
    let object = start;
    for (;;) {
      if (takes('.')) {
        const { kind, text } = next();
        if (kind !== 'name') throw new ExpressionProblem(`lacks a name ${placeOf(next())}`);
        at++;
        object = takes('(')
          ? { type: 'method', object, name: text, args: items(')') }
          : { type: 'member', object, name: text };
      } else if (takes('[')) {
        const index = deeper(() => binary(0));
        need(']');
        object = { type: 'index', object, index };
      } else return object;
    }
  }

  function primary(): Expression {
    const { kind, text } = next();
    if (takes('(')) {
      const inner = deeper(() => binary(0));
      need(')');
      return inner;
    }
    if (takes('[')) return { type: 'list', items: items(']') };
    at++;
    if (kind === 'number') return { type: 'literal', value: Number(text) };
    if (kind === 'string') return { type: 'literal', value: unquoted(text) };
    if (kind !== 'name') throw new ExpressionProblem(`is not complete ${placeOf({ kind, text })}`);
    if (Object.hasOwn(WORDS, text)) return { type: 'literal', value: WORDS[text]! };
    return takes('(') ? { type: 'call', name: text, args: items(')') } : { type: 'name', name: text };
  }

  function items(close: string): Expression[] {
    const read: Expression[] = [];
    if (takes(close)) return read;
    do read.push(deeper(() => binary(0)));
    while (takes(','));
    need(close);
    return read;
  }

  const expression = binary(0);
  if (next().kind !== 'end')
    throw new ExpressionProblem(`has something it should not have ${placeOf(next())}`);
  return expression;
}

const WORDS: Readonly<Record<string, boolean | null>> = { true: true, false: false, null: null };

function tokensOf(source: string): Token[] {
  const tokens: Token[] = [];
  TOKEN.lastIndex = 0;
  const end = source.trimEnd().length;
  let at = 0;
  while (at < end) {
    TOKEN.lastIndex = at;
    const match = TOKEN.exec(source);
    if (!match)
      throw new ExpressionProblem(`has a sign that is not understood before "${source.slice(at, at + 20)}"`);
    const [, number, string, name, sign] = match;
    const kind =
      number !== undefined
        ? 'number'
        : string !== undefined
          ? 'string'
          : name !== undefined
            ? 'name'
            : 'sign';
    if (kind === 'sign' && sign === '/' && mayBeginValue(tokens.at(-1)))
      throw new ExpressionProblem('has a regular expression, which is not supported');
    tokens.push({ kind, text: number ?? string ?? name ?? sign ?? '' });
    at = TOKEN.lastIndex;
  }
  return [...tokens, { kind: 'end', text: '' }];
}

function mayBeginValue(before: Token | undefined): boolean {
  return before === undefined || (before.kind === 'sign' && before.text !== ')' && before.text !== ']');
}

function placeOf({ kind, text }: Token): string {
  return kind === 'end' ? 'at its end' : `before "${text.slice(0, 40)}"`;
}

function unquoted(text: string): string {
  return text.slice(1, -1).replace(/\\(.)/g, (_, char: string) => ESCAPES[char] ?? char);
}

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r' };
