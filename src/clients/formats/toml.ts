/** TOML, edited by splicing: tables, dotted keys and inline tables each keep their shape. */
import { parse, TomlError } from 'smol-toml';
import { type Entry, TRANSPORT_KEYS } from '../client.ts';
import { type EntryPlace, type FormatEditor, lineEnd, lineStart, nextLine, spliced } from './format.ts';
import { styleOf, tomlKey, tomlValue } from './render.ts';
import { inlineItems, scanToml, type TomlStatement } from './toml-scan.ts';

export const toml: FormatEditor = {
  parse,
  mistakeIn(text) {
    try {
      parse(text);
      return undefined;
    } catch (error) {
      if (!(error instanceof TomlError)) throw error;
      const [problem = 'not TOML'] = error.message.split('\n');
      return { line: error.line, problem: problem.replace(/^Invalid TOML document: /, '') };
    }
  },
  set: setEntry,
  remove: removeEntry,
};

function setEntry(text: string, { servers, name }: EntryPlace, entry: Entry): string | undefined {
  const statements = scanToml(text);
  const path = [servers, name];
  const inline = inlineTables(text, statements, servers);
  if (inline) return setInline(text, inline, path, entry);
  const own = statements.filter((statement) => isWithin(statement.path, path));
  const whole = own.find((statement) => !statement.isHeader && statement.path.length === path.length);
  if (whole) return spliced(text, [whole.value, whole.end, tomlValue(entry)]);
  return own.length > 0 ? replaced(text, own, entry) : appended(text, path, entry);
}

function removeEntry(text: string, { servers, name }: EntryPlace): string | undefined {
  const statements = scanToml(text);
  const path = [servers, name];
  const inline = inlineTables(text, statements, servers);
  if (inline) return removeInline(text, inline, path);
  const own = statements.filter((statement) => isWithin(statement.path, path));
  if (own.length === 0) return undefined;
  // What stands between a header of the entry and the last statement below it goes with them.
  const pieces = own.map((statement, at): [number, number, string] => {
    const next = own[at + 1];
    const isSection = next !== undefined && !next.isHeader && next.below >= path.length;
    const start = lineStart(text, statement.start);
    return [start, isSection ? lineStart(text, next.start) : nextLine(text, statement.end), ''];
  });
  const [first] = pieces;
  const last = pieces.at(-1);
  // The blank line before a section goes too, where another stays behind it or nothing follows.
  if (
    first &&
    last &&
    own[0]?.isHeader &&
    /(?:^|\n)\r?\n$/.test(text.slice(0, first[0])) &&
    /^\s*(?:\n|$)/.test(text.slice(last[1]))
  )
    pieces[0] = [lineStart(text, first[0] - 1), first[1], ''];
  return spliced(text, ...pieces);
}

function isWithin(path: readonly string[], outer: readonly string[]): boolean {
  return outer.every((key, at) => path[at] === key);
}

/** `mcp_servers = { … }`, which no header can add to. */
function inlineTables(text: string, statements: readonly TomlStatement[], servers: string) {
  const found = statements.find(
    ({ path, isHeader, value }) =>
      !isHeader && path.length === 1 && path[0] === servers && text[value] === '{',
  );
  return found && inlineItems(text, found.value);
}

type Inline = ReturnType<typeof inlineItems>;

function setInline(
  text: string,
  { items, close }: Inline,
  [, name = '']: readonly string[],
  entry: Entry,
): string | undefined {
  const own = items.filter(({ key }) => key[0] === name);
  const [item] = own;
  if (item && own.length === 1 && item.key.length === 1)
    return spliced(text, [item.value, item.end, tomlValue(entry)]);
  if (item) return undefined;
  const last = items.at(-1);
  const added = `${tomlKey(name)} = ${tomlValue(entry)}`;
  if (last) return spliced(text, [last.end, last.end, `, ${added}`]);
  return spliced(text, [close, close, /\s/.test(text[close - 1] ?? '') ? `${added} ` : ` ${added} `]);
}

function removeInline(text: string, { items }: Inline, [, name]: readonly string[]): string | undefined {
  const own = items.filter(({ key }) => key[0] === name);
  const [item] = own;
  if (!item || own.length > 1) return undefined;
  const at = items.indexOf(item);
  const [previous, next] = [items[at - 1], items[at + 1]];
  if (next) return spliced(text, [item.start, next.start, '']);
  return spliced(text, [previous?.end ?? item.start, item.end, '']);
}

/** The lines that say how the server is reached, in the place of those before; the user's other lines stay. */
function replaced(text: string, own: readonly TomlStatement[], entry: Entry): string {
  const { eol } = styleOf(text);
  const depth = 2;
  const isOld = ({ path }: TomlStatement) => {
    const key = path[depth];
    return key !== undefined && (TRANSPORT_KEYS.includes(key) || !(key in entry));
  };
  const old = own.filter(isOld);
  const kept = new Set(own.filter((one) => !isOld(one)).map(({ path }) => path[depth]));
  const lines = Object.entries(entry).filter(([key]) => !kept.has(key));
  const [first] = old;
  const anchor = first ?? own[0];
  if (!anchor) return text;
  const prefix = anchor.path
    .slice(anchor.isHeader ? anchor.path.length : anchor.below, depth)
    .map((key) => `${tomlKey(key)}.`);
  const added = lines.map(([key, value]) => `${prefix.join('')}${tomlKey(key)} = ${tomlValue(value)}`);
  if (!first)
    return spliced(text, [lineEnd(text, anchor.end), lineEnd(text, anchor.end), eol + added.join(eol)]);
  const others = old.slice(1).map(({ start, end }): [number, number, string] => {
    const comment = text.slice(end, lineEnd(text, end)).trim();
    return comment === '' ? [lineStart(text, start), nextLine(text, end), ''] : [start, end, ''];
  });
  return spliced(text, [first.start, first.end, added.join(eol)], ...others);
}

function appended(text: string, path: readonly string[], entry: Entry): string {
  const { eol } = styleOf(text);
  const gap = text === '' ? '' : /\n$/.test(text) ? eol : eol + eol;
  const lines = Object.entries(entry).map(([key, value]) => `${tomlKey(key)} = ${tomlValue(value)}`);
  return `${text}${gap}${[`[${path.map(tomlKey).join('.')}]`, ...lines].join(eol)}${eol}`;
}
