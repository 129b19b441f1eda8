/**
 * Rewrites a query so that Trilium reads it as meant. Trilium takes a query that begins with a bracket or `not` for
 * plain words unless a bare `#` precedes it, gives up on AND beside OR or `not` without brackets (and then returns
 * every note), and ends the words at any `#` or `~`, even inside one.
 */
import {
  type Expression,
  isStructural,
  type QueryShape,
  type QueryToken,
  quoted,
  tokensOf,
} from './validate.ts';

export function spelled(query: string, { expression, ending }: QueryShape): string {
  if (!expression) return words(query);
  const lead = leadOf(query);
  const rest = query.slice(query.indexOf(lead) + lead.length).trim();
  const body = isPlain(expression, rest) ? rest : [marked(written(expression)), ending].join(' ').trim();
  return `${words(lead)} ${body}`.trim();
}

/** Whether the expression is a pure conjunction or disjunction without brackets. */
function isPlain(expression: Expression, text: string): boolean {
  const isFlat =
    expression.kind === 'condition' ||
    (expression.kind !== 'not' && expression.parts.every(({ kind }) => kind === 'condition'));
  return isFlat && isStructural(tokensOf(text)[0] as QueryToken) && !tokensOf(text).some(isBracket);
}

const isBracket = ({ kind }: QueryToken): boolean => kind === 'open' || kind === 'close';

function marked(expression: string): string {
  return /^(?:[#~]|note\.)/i.test(expression) ? expression : `# ${expression}`;
}

/** The words before the structure. */
function leadOf(query: string): string {
  const tokens = tokensOf(query);
  let at = tokens.findIndex(isStructural);
  while (at > 0 && /^(?:\(|not|#)$/i.test(tokens[at - 1]?.text ?? '') && tokens[at - 1]?.kind !== 'quoted')
    at--;
  return query.slice(0, tokens[at]?.start).trim();
}

function words(text: string): string {
  let spelledOut = '';
  let from = 0;
  for (const { kind, text: word, start, end } of tokensOf(text)) {
    if (kind !== 'word' || !/[#~\\]/.test(word)) continue;
    spelledOut += text.slice(from, start) + quoted(word);
    from = end;
  }
  return spelledOut + text.slice(from);
}

function written(expression: Expression): string {
  switch (expression.kind) {
    case 'condition':
      return expression.text;
    case 'not':
      return `not(${written(expression.part)})`;
    default: {
      const parts = expression.parts.map((part) =>
        part.kind === 'and' || part.kind === 'or' ? `(${written(part)})` : written(part),
      );
      return parts.join(expression.kind === 'or' ? ' OR ' : ' AND ');
    }
  }
}
