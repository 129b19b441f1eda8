/**
 * The tree without what could act: by lists of allowed elements, attributes, addresses and styles, so that what
 * nobody thought of is not allowed.
 */
import { ACTIVE_ELEMENTS, ALLOWED_ELEMENTS, isAllowedAttribute } from './allowed.ts';
import { type Element, type Node, VOID_ELEMENTS } from './elements.ts';
import { isSafeUrl, isUrlAttribute, safeStyle } from './safe-values.ts';

interface SanitizeOptions {
  /** Elements that were never closed: of these only the tag goes, or a slip in prose would take the rest along. */
  readonly unclosed: ReadonlySet<Element>;
  /** Active elements whose inside stays as text. */
  readonly opened?: ReadonlySet<string>;
}

/** Gives the very same array and elements back where nothing has to go: most notes are clean. */
export function sanitize(children: readonly Node[], options: SanitizeOptions): readonly Node[] {
  let clean: Node[] | undefined;
  for (let index = 0; index < children.length; index++) {
    const child = children[index]!;
    if (typeof child === 'string') {
      if (clean) add(clean, child);
      continue;
    }
    const kept = isKept(child) ? sanitizeElement(child, options) : undefined;
    const isEmptyLink = kept?.name === 'a' && kept.attributes.size === 0;
    if (kept === child && !isEmptyLink) {
      clean?.push(child);
      continue;
    }
    clean ??= children.slice(0, index);
    if (kept && !isEmptyLink) clean.push(kept);
    else if (kept) for (const inner of kept.children) add(clean, inner);
    else if (!goesWhole(child, options))
      for (const inner of sanitize(child.children, options)) add(clean, inner);
  }
  return clean ?? children;
}

/** Neighbouring texts are one text. */
function add(nodes: Node[], node: Node): void {
  const last = nodes[nodes.length - 1];
  if (typeof node === 'string' && typeof last === 'string') nodes[nodes.length - 1] = last + node;
  else nodes.push(node);
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
  const attributes = sanitizeAttributes(element);
  const children = sanitize(element.children, options);
  if (attributes === element.attributes && children === element.children) return element;
  return { name: element.name, attributes, children };
}

function sanitizeAttributes({ name: element, attributes }: Element): ReadonlyMap<string, string> {
  if (attributes.size === 0) return attributes;
  for (const [name, value] of attributes)
    if (safeValue(element, name, value) !== value) return safeAttributes(element, attributes);
  return attributes;
}

function safeAttributes(
  element: string,
  attributes: ReadonlyMap<string, string>,
): ReadonlyMap<string, string> {
  const safe = new Map<string, string>();
  for (const [name, value] of attributes) {
    const kept = safeValue(element, name, value);
    if (kept !== undefined) safe.set(name, kept);
  }
  return safe;
}

function safeValue(element: string, name: string, value: string): string | undefined {
  if (!isAllowedAttribute(element, name)) return undefined;
  if (isUrlAttribute(name)) return isSafeUrl(value, element) ? value : undefined;
  if (name === 'style') return safeStyle(value) || undefined;
  return value;
}
