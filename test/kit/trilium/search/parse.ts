/** From tokens to what has to hold. What cannot be read is left out without a word, as the real one does. */
import type { Token } from './lex.ts';

export type Condition =
  | { readonly kind: 'all' }
  | { readonly kind: 'and' | 'or'; readonly parts: readonly Condition[] }
  | { readonly kind: 'not'; readonly part: Condition }
  | { readonly kind: 'has'; readonly type: 'label' | 'relation'; readonly name: string }
  | {
      readonly kind: 'compare';
      readonly path: readonly string[];
      readonly operator: string;
      readonly value: string;
    };

export interface Order {
  readonly path: readonly string[];
  readonly isDescending: boolean;
}

export interface ParsedQuery {
  readonly condition: Condition;
  readonly order: readonly Order[];
  readonly limit: number | undefined;
}

const OPERATORS = ['=', '!=', '<', '>', '<=', '>=', '*=*', '=*', '*=', '%=', '~=', '~*'];
const PROPERTIES = [
  'noteid title type mime content rawcontent text datecreated datemodified utcdatecreated utcdatemodified',
  'isarchived isprotected childrencount parentcount labelcount relationcount contentsize revisioncount',
]
  .join(' ')
  .split(' ');

class Unreadable extends Error {}

export function parse(tokens: readonly Token[]): ParsedQuery {
  let at = 0;
  const peek = () => tokens[at];
  const isNext = (word: string) => peek()?.token === word && !peek()?.inQuotes;
  const take = (word: string) => isNext(word) && ++at > 0;

  const operand = (path: readonly string[], whenAlone: Condition): Condition => {
    const operator = peek();
    if (!operator || operator.inQuotes || !OPERATORS.includes(operator.token)) return whenAlone;
    at++;
    const value = peek();
    if (!value) return whenAlone;
    at++;
    return { kind: 'compare', path, operator: operator.token, value: value.token };
  };

  const leaf = (): Condition => {
    const token = tokens[at++];
    if (!token || token.inQuotes) throw new Unreadable();
    const sign = token.token[0];
    if (sign === '#' || sign === '~') {
      const isNegated = token.token[1] === '!';
      const [name = '', ...rest] = token.token.slice(isNegated ? 2 : 1).split('.');
      const type = sign === '#' ? 'label' : 'relation';
      const has: Condition = { kind: 'has', type, name };
      if (isNegated) return { kind: 'not', part: has };
      if (rest.length > 0) assertProperty(rest);
      return operand([`${type}s`, name, ...rest], has);
    }
    if (!token.token.startsWith('note.')) throw new Unreadable();
    const path = token.token.split('.').slice(1);
    assertProperty(path);
    const [room = '', name = ''] = path;
    if (room === 'labels' || room === 'relations')
      return operand(path, { kind: 'has', type: room === 'labels' ? 'label' : 'relation', name });
    const compared = operand(path, { kind: 'all' });
    if (compared.kind === 'all') throw new Unreadable();
    return compared;
  };

  const unary = (): Condition => {
    if (take('not')) {
      // Without brackets behind it nothing is read at all.
      if (!isNext('(')) throw new Unreadable();
      return { kind: 'not', part: unary() };
    }
    if (!take('(')) return leaf();
    const inner = either();
    take(')');
    return { kind: 'or', parts: [inner] };
  };

  const both = (): Condition => {
    const parts = [unary()];
    while (peek() && !isNext(')') && !isNext('or') && !isNext('orderby') && !isNext('limit')) {
      take('and');
      parts.push(unary());
    }
    return parts.length === 1 ? (parts[0] as Condition) : { kind: 'and', parts };
  };

  const either = (): Condition => {
    const parts = [both()];
    while (take('or')) parts.push(both());
    // AND and OR side by side without brackets are an error, and errors are swallowed.
    if (parts.length > 1 && parts.some(({ kind }) => kind === 'and')) throw new Unreadable();
    return parts.length === 1 ? (parts[0] as Condition) : { kind: 'or', parts };
  };

  const orders = (): Order[] => {
    const found: Order[] = [];
    if (!take('orderby')) return found;
    do {
      const path = (tokens[at++]?.token ?? '').replace(/,$/, '');
      const isDescending = isNext('desc') || isNext('desc,');
      if (isDescending || isNext('asc') || isNext('asc,')) at++;
      found.push({ path: orderPath(path), isDescending });
    } while (peek() && !isNext('limit'));
    return found;
  };

  if (tokens.length === 0) return { condition: { kind: 'all' }, order: [], limit: undefined };
  try {
    const condition = either();
    const order = orders();
    const limit = take('limit') ? Number(tokens[at++]?.token) : undefined;
    return { condition, order, limit };
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error;
    return { condition: { kind: 'all' }, order: [], limit: undefined };
  }
}

/** `title`, `note.title` and `#label` name the same things wherever something is ordered by. */
export function orderPath(text: string): readonly string[] {
  const lower = text.toLowerCase();
  if (lower.startsWith('#')) return ['labels', lower.slice(1)];
  return lower.replace(/^note\./, '').split('.');
}

function assertProperty(path: readonly string[]): void {
  if (!isProperty(path)) throw new Unreadable();
}

function isProperty([first = '', ...rest]: readonly string[]): boolean {
  if (first === 'labels') return true;
  if (first === 'relations') return rest.length <= 1 || isProperty(rest.slice(1));
  if (['parents', 'children', 'ancestors'].includes(first)) return isProperty(rest);
  return PROPERTIES.includes(first) && rest.length === 0;
}
