/**
 * The tree without what could act: by lists of allowed elements, attributes, addresses and styles, so that what
 * nobody thought of is not allowed.
 */
import { ACTIVE_ELEMENTS, ALLOWED_ELEMENTS, isAllowedAttribute } from './allowed.ts';
import { safeStyle } from './safe-style.ts';
import { isSafeUrl, isUrlAttribute } from './safe-url.ts';
import { type Element, type Node, VOID_ELEMENTS } from './tree.ts';

export interface SanitizeOptions {
  /** Elements that were never closed: of these only the tag goes, or a slip in prose would take the rest along. */
  readonly unclosed: ReadonlySet<Element>;
  /** Active elements whose inside stays as text. */
  readonly opened?: ReadonlySet<string>;
}

export function sanitize(children: readonly Node[], options: SanitizeOptions): Node[] {
  const clean: Node[] = [];
  const add = (node: Node) => {
    const last = clean[clean.length - 1];
    if (typeof node === 'string' && typeof last === 'string') clean[clean.length - 1] = last + node;
    else clean.push(node);
  };
  for (const child of children) {
    if (typeof child === 'string') add(child);
    else if (!isKept(child)) {
      if (!goesWhole(child, options)) for (const inner of sanitize(child.children, options)) add(inner);
    } else {
      const element = sanitizeElement(child, options);
      if (element.name === 'a' && element.attributes.size === 0)
        for (const inner of element.children) add(inner);
      else add(element);
    }
  }
  return clean;
}

function goesWhole(element: Element, { unclosed, opened }: SanitizeOptions): boolean {
  if (VOID_ELEMENTS.has(element.name)) return true;
  return ACTIVE_ELEMENTS.has(element.name) && !unclosed.has(element) && opened?.has(element.name) !== true;
}

function isKept({ name, attributes }: Element): boolean {
  if (!ALLOWED_ELEMENTS.has(name)) return false;
  return name !== 'input' || attributes.get('type')?.toLowerCase() === 'checkbox';
}

function sanitizeElement(element: Element, options: SanitizeOptions): Element {
  const attributes = new Map<string, string>();
  for (const [name, value] of element.attributes) {
    const safe = safeValue(element.name, name, value);
    if (safe !== undefined) attributes.set(name, safe);
  }
  return { name: element.name, attributes, children: sanitize(element.children, options) };
}

function safeValue(element: string, name: string, value: string): string | undefined {
  if (!isAllowedAttribute(element, name)) return undefined;
  if (isUrlAttribute(name)) return isSafeUrl(value, element) ? value : undefined;
  if (name === 'style') return safeStyle(value) || undefined;
  return value;
}
