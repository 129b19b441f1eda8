/** Code inside a line and on lines of its own. */
import { fenceOfClass } from '../code-languages.ts';
import { type Element, hasExactly, isElement } from '../tree.ts';

export function codeSpan(node: Element): string | undefined {
  const text = onlyText(node);
  if (!text || !hasExactly(node, { spellcheck: 'false' })) return undefined;
  const fence = '`'.repeat(longestRun(text) + 1);
  const isPadded = /^`|`$/.test(text) || (/^ .* $/.test(text) && text.trim() !== '');
  return isPadded ? `${fence} ${text} ${fence}` : `${fence}${text}${fence}`;
}

export function codeBlock(pre: Element): string | undefined {
  const [code, ...others] = pre.children;
  if (pre.attributes.size > 0 || others.length > 0 || !isElement(code, 'code')) return undefined;
  const className = code.attributes.get('class') ?? '';
  const info = hasExactly(code, { class: className }) ? fenceOfClass(className) : undefined;
  const text = onlyText(code);
  if (info === undefined || text === undefined) return undefined;
  const fence = '`'.repeat(Math.max(3, longestRun(text) + 1));
  return text === '' ? `${fence}${info}\n${fence}` : `${fence}${info}\n${text}\n${fence}`;
}

function onlyText({ children }: Element): string | undefined {
  const [text = '', ...others] = children;
  return typeof text === 'string' && others.length === 0 ? text : undefined;
}

function longestRun(text: string): number {
  let longest = 0;
  for (const [run] of text.matchAll(/`+/g)) longest = Math.max(longest, run.length);
  return longest;
}
