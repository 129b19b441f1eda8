/**
 * Whether HTML may stand as it is. Read tag by tag, as browsers read them; what they would read otherwise than we do
 * (elements whose inside is not HTML, tags without an end) is taken for something that can act.
 */
import { ACTIVE_ELEMENTS, ALLOWED_ELEMENTS, isAllowedAttribute } from './allowed.ts';
import { isSafeUrl, isUrlAttribute, safeStyle } from './safe-values.ts';
import { tokenize } from './tokenize.ts';

interface ActiveContentFindings {
  /** A script, a handler, an address that runs, or something that could hide one. */
  readonly canAct: boolean;
  /** Harmless where it stood before, and yet not on our lists: old tags, attributes and styles, as they stand. */
  readonly oddities: readonly string[];
  /** Whether what comes behind this text might be read as a part of it. */
  readonly endsOpen: boolean;
}

/** Browsers read no tags in these. */
const RAW_ELEMENTS = new Set(['textarea', 'title', 'xmp', 'plaintext']);

export function findingsIn(html: string): ActiveContentFindings {
  const oddities: string[] = [];
  const open = new Map<string, number>();
  let canAct = false;
  let isUnfinished = false;
  const count = (name: string, by: number) => open.set(name, Math.max(0, (open.get(name) ?? 0) + by));
  tokenize(html, {
    text: () => {},
    open: (name, attributes, start, end) => {
      if (isActive(name)) count(name, 1);
      canAct ||= isActive(name) || [...attributes].some(([key, value]) => acts(name, key, value));
      if (!isPlain(name, attributes)) oddities.push(html.slice(start, end));
    },
    close: (name) => {
      if (isActive(name) && name !== 'plaintext') count(name, -1);
    },
    unfinished: () => {
      isUnfinished = true;
    },
  });
  return {
    canAct: canAct || isUnfinished,
    oddities,
    endsOpen: isUnfinished || [...open.values()].some((times) => times > 0),
  };
}

function isActive(name: string): boolean {
  return ACTIVE_ELEMENTS.has(name) || RAW_ELEMENTS.has(name);
}

function acts(element: string, name: string, value: string): boolean {
  if (/^on/i.test(name)) return true;
  if (isUrlAttribute(name)) return !isSafeUrl(value, element);
  return /^(?:javascript|vbscript|data):/i.test(value.replace(/[\u0000-\u0020]/g, ''));
}

function isPlain(element: string, attributes: ReadonlyMap<string, string>): boolean {
  if (!ALLOWED_ELEMENTS.has(element)) return false;
  if (element === 'input' && attributes.get('type')?.toLowerCase() !== 'checkbox') return false;
  return [...attributes].every(
    ([name, value]) => isAllowedAttribute(element, name) && (name !== 'style' || safeStyle(value) === value),
  );
}
