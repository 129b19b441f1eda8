/**
 * Conditions on the tags of a note: tags joined by AND, OR and NOT (in any letter case), with parentheses. NOT binds
 * more closely than AND, and AND more than OR. A tag matches itself and the tags nested below it.
 */
import { AppError } from '../shared/errors.ts';
import { isTagOrBelow, normalizeTag, tagKey, tagProblem } from './tags.ts';

/** Asked with the keys of the tags of a note. */
export type TagCondition = (keys: readonly string[]) => boolean;

interface Token {
  readonly kind: 'and' | 'or' | 'not' | 'open' | 'close' | 'tag' | 'end';
  readonly text: string;
  /** From 1. */
  readonly position: number;
}

const KINDS: Readonly<Record<string, Token['kind']>> = {
  '(': 'open',
  ')': 'close',
  and: 'and',
  or: 'or',
  not: 'not',
};
const MAX_DEPTH = 50;

export function parseTagExpression(expression: string): TagCondition {
  const tokens = tokensOf(expression);
  let at = 0;
  const next = () => tokens[at]!;
  const take = (kind: Token['kind']) => next().kind === kind && ++at > 0;

  function either(depth: number): TagCondition {
    const parts = [both(depth)];
    while (take('or')) parts.push(both(depth));
    return parts.length === 1 ? parts[0]! : (keys) => parts.some((part) => part(keys));
  }

  function both(depth: number): TagCondition {
    const parts = [single(depth)];
    while (take('and')) parts.push(single(depth));
    return parts.length === 1 ? parts[0]! : (keys) => parts.every((part) => part(keys));
  }

  function single(depth: number): TagCondition {
    if (depth > MAX_DEPTH) throw problem(`is nested more than ${MAX_DEPTH} deep`, next());
    if (take('not')) {
      const part = single(depth + 1);
      return (keys) => !part(keys);
    }
    if (take('open')) {
      const part = either(depth + 1);
      if (!take('close')) throw problem('lacks ")"', next());
      return part;
    }
    const token = next();
    if (token.kind !== 'tag') throw problem('lacks a tag', token);
    at++;
    return tagCondition(token);
  }

  const condition = either(0);
  if (next().kind !== 'end') throw problem(`has ${shown(next())} where AND or OR should be`, next());
  return condition;
}

function tagCondition(token: Token): TagCondition {
  const tag = normalizeTag(token.text);
  const trouble = tagProblem(tag);
  if (trouble !== undefined) throw problem(`has a tag that ${trouble}`, token);
  const wanted = tagKey(tag);
  return (keys) => keys.some((key) => isTagOrBelow(key, wanted));
}

function tokensOf(expression: string): Token[] {
  const tokens = [...expression.matchAll(/[()]|[^\s()]+/g)].map(({ 0: text, index }): Token => {
    const kind = Object.hasOwn(KINDS, text.toLowerCase()) ? KINDS[text.toLowerCase()]! : 'tag';
    return { kind, text, position: index + 1 };
  });
  return [...tokens, { kind: 'end', text: '', position: expression.length + 1 }];
}

const LONGEST_SHOWN = 60;

function shown({ text }: Token): string {
  return `"${text.slice(0, LONGEST_SHOWN)}"`;
}

function problem(what: string, token: Token): AppError {
  const where = token.kind === 'end' ? 'at its end' : `at position ${token.position}`;
  return new AppError('invalid_input', `expression: ${what}, ${where}`, {
    hint: 'For example: project AND (urgent OR due) AND NOT done',
  });
}
