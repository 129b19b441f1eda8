/** Links and pictures that markdown can express. */
import type { Element } from '../tree.ts';
import { type EscapeOptions, escapeMarkdown } from './escape.ts';

/** What follows a link's text; missing if the link says more than markdown can. */
export function linkTarget({ attributes }: Element): string | undefined {
  const href = attributes.get('href');
  const isPlain = [...attributes.keys()].every((name) => name === 'href' || name === 'title');
  return isPlain && href !== undefined ? target(href, attributes.get('title')) : undefined;
}

export function imageMarkdown({ attributes }: Element, options: EscapeOptions): string | undefined {
  const src = attributes.get('src');
  const isPlain = [...attributes.keys()].every((name) => ['src', 'alt', 'title'].includes(name));
  const end = isPlain && src !== undefined ? target(src, attributes.get('title')) : undefined;
  const alt = attributes.get('alt') ?? '';
  if (end === undefined || /[\n$]/.test(alt)) return undefined;
  return `![${escapeMarkdown(alt, { ...options, inLink: true })}${end}`;
}

function target(url: string, title: string | undefined): string | undefined {
  if (/[\n\r]/.test(url) || title?.includes('\n')) return undefined;
  const said = title === undefined ? '' : ` "${title.replace(/["\\&]/g, '\\$&')}"`;
  return `](${destination(url)}${said})`;
}

function destination(url: string): string {
  const escaped = url.replace(/[\\&]/g, (char, at: number) =>
    char === '\\' || /^&[#\da-z]+;/i.test(url.slice(at, at + 40)) ? `\\${char}` : char,
  );
  const isPlain = url !== '' && !/[\s<>\u0000-\u001f\u007f]/.test(url) && hasBalancedParentheses(url);
  return isPlain ? escaped : `<${escaped.replace(/[<>]/g, '\\$&')}>`;
}

function hasBalancedParentheses(url: string): boolean {
  let open = 0;
  for (const char of url) {
    if (char === '(') open++;
    else if (char === ')' && --open < 0) return false;
    // Parsers give up on deeply nested ones.
    if (open > 8) return false;
  }
  return open === 0;
}
