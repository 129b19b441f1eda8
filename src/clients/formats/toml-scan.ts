/** The statements of a TOML text, with their ranges. The text has been parsed before, so it is known to be valid. */

export interface TomlStatement {
  /** From the first key of the file: the keys of the table around it come first. */
  readonly path: readonly string[];
  /** Length of the path of the table around it; for a header, 0. */
  readonly below: number;
  readonly isHeader: boolean;
  /** From the first character to behind the value, without a comment. */
  readonly start: number;
  readonly end: number;
  /** Where the value starts; `end` for a header. */
  readonly value: number;
}

export function scanToml(text: string): TomlStatement[] {
  const statements: TomlStatement[] = [];
  let table: readonly string[] = [];
  let at = 0;
  while (at < text.length) {
    at += /^(?:\s|#[^\n]*)*/.exec(text.slice(at))?.[0].length ?? 0;
    if (at >= text.length) break;
    const start = at;
    const brackets = /^\[{0,2}/.exec(text.slice(at))?.[0].length ?? 0;
    const { path, end } = keysAt(text, at + brackets);
    if (brackets > 0) {
      at = end + brackets;
      // Each item of an array of tables is a place of its own, which no entry of ours is in.
      table = brackets === 2 ? [...path, '[]'] : path;
      statements.push({ path: table, below: 0, isHeader: true, start, end: at, value: at });
      continue;
    }
    const value = end + 1 + (/^[ \t]*/.exec(text.slice(end + 1))?.[0].length ?? 0);
    at = valueEnd(text, value);
    statements.push({
      path: [...table, ...path],
      below: table.length,
      isHeader: false,
      start,
      end: at,
      value,
    });
  }
  return statements;
}

/** A dotted key, and the offset of what ends it: `=` or `]`. */
function keysAt(text: string, from: number): { path: string[]; end: number } {
  const path: string[] = [];
  let at = from;
  for (;;) {
    const found = /^[ \t]*("(?:[^"\\\n]|\\.)*"|'[^'\n]*'|[\w-]+)[ \t]*/.exec(text.slice(at));
    if (!found?.[1]) return { path, end: at };
    path.push(keyOf(found[1]));
    at += found[0].length;
    if (text[at] !== '.') return { path, end: at };
    at += 1;
  }
}

function keyOf(key: string): string {
  if (key.startsWith("'")) return key.slice(1, -1);
  if (!key.startsWith('"')) return key;
  const escaped = key.replace(/\\U([0-9a-fA-F]{8})/g, (_, code: string) =>
    String.fromCodePoint(Number.parseInt(code, 16)),
  );
  return JSON.parse(escaped) as string;
}

const STRING = /^(?:"""(?:[^\\]|\\[\s\S])*?"{3,5}|'''[\s\S]*?'{3,5}|"(?:[^"\\\n]|\\.)*"|'[^'\n]*')/;

/** Behind a value: a string, an array or inline table with all it holds, or a word. */
export function valueEnd(text: string, from: number): number {
  const string = STRING.exec(text.slice(from))?.[0];
  if (string !== undefined) return from + string.length;
  if (text[from] !== '[' && text[from] !== '{')
    return from + (/^[^\n#,\]}]*/.exec(text.slice(from))?.[0].trimEnd().length ?? 0);
  let depth = 0;
  for (let at = from; at < text.length; ) {
    const rest = text.slice(at);
    const skipped = STRING.exec(rest)?.[0] ?? /^#[^\n]*/.exec(rest)?.[0];
    if (skipped !== undefined) {
      at += skipped.length;
      continue;
    }
    if (/[[{]/.test(text[at] ?? '')) depth += 1;
    if (/[\]}]/.test(text[at] ?? '')) depth -= 1;
    at += 1;
    if (depth === 0) return at;
  }
  return text.length;
}

export interface InlineItem {
  readonly key: readonly string[];
  readonly start: number;
  readonly value: number;
  readonly end: number;
}

/** The items of the inline table at an offset, and the offset of its closing brace. */
export function inlineItems(text: string, open: number): { items: InlineItem[]; close: number } {
  const items: InlineItem[] = [];
  let at = open + 1;
  for (;;) {
    at += /^(?:[\s,]|#[^\n]*)*/.exec(text.slice(at))?.[0].length ?? 0;
    if (at >= text.length || text[at] === '}') return { items, close: at };
    const { path, end } = keysAt(text, at);
    const value = end + 1 + (/^\s*/.exec(text.slice(end + 1))?.[0].length ?? 0);
    const stop = valueEnd(text, value);
    items.push({ key: path, start: at, value, end: stop });
    if (stop <= at) return { items, close: stop };
    at = stop;
  }
}
