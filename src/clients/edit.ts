/**
 * One entry set or removed in the text of a configuration file. The result is parsed again and must be the old value
 * with that entry and nothing else changed; otherwise the file is refused, and the error shows what to add by hand.
 */
import { isDeepStrictEqual } from 'node:util';
import { AppError } from '../shared/errors.ts';
import { isRecord, recordOf } from '../shared/records.ts';
import { type Client, type Entry, TRANSPORT_KEYS } from './client.ts';
import type { FormatEditor } from './formats/format.ts';
import { jsonc } from './formats/jsonc.ts';
import { snippet } from './formats/render.ts';
import { toml } from './formats/toml.ts';
import { yaml } from './formats/yaml.ts';

const EDITORS: Readonly<Record<Client['format'], FormatEditor>> = { json: jsonc, toml, yaml };

const BOM = '\ufeff';

/** A configuration file that was read and can be parsed. */
export interface ParsedConfig {
  readonly client: Client;
  readonly file: string;
  /** As it is on disk. */
  readonly text: string;
  /** The servers by name. */
  readonly entries: ReadonlyMap<string, Readonly<Record<string, unknown>>>;
}

/** Refuses a file that is broken, with the line. */
export function parseConfig(client: Client, file: string, text: string): ParsedConfig {
  const editor = EDITORS[client.format];
  const plain = withoutMark(text);
  const mistake = editor.mistakeIn(plain);
  if (mistake)
    throw new AppError(
      'invalid_input',
      `The configuration of ${client.title} is not valid ${client.format.toUpperCase()}`,
      {
        subject: `${file}, line ${mistake.line}: ${mistake.problem}`,
        hint: 'Nothing was changed. Correct that line, then run quire connect again.',
      },
    );
  return { client, file, text, entries: entriesOf(client, editor.parse(plain)) };
}

/** The text with the entry added, or in the place of the one before. */
export function withEntry({ client, file, text }: ParsedConfig, name: string, entry: Entry): string {
  const editor = EDITORS[client.format];
  const plain = withoutMark(text) || client.newFile || '';
  const place = { servers: client.servers, isList: client.isList, name };
  const changed = editor.set(plain, place, entry);
  const wanted = withValue(client, editor.parse(plain), name, entry);
  if (changed === undefined || !isRight(editor, changed, wanted))
    throw new AppError(
      'unsupported',
      `${client.title} keeps its servers in a form that quire connect cannot edit`,
      {
        subject: file,
        hint: `Nothing was changed. Add this by hand:\n\n${snippet(client, new Map([[name, entry]]))}\n`,
      },
    );
  return text.startsWith(BOM) ? BOM + changed : changed;
}

export function withoutEntry({ client, file, text }: ParsedConfig, name: string): string {
  const editor = EDITORS[client.format];
  const plain = withoutMark(text);
  const changed = editor.remove(plain, { servers: client.servers, isList: client.isList, name });
  const wanted = recordOf(withValue(client, editor.parse(plain), name, undefined));
  // The table of a TOML file goes with its last entry.
  const { [client.servers]: held, ...rest } = wanted;
  const isGone = Object.keys(recordOf(held)).length === 0;
  if (
    changed === undefined ||
    !(isRight(editor, changed, wanted) || (isGone && isRight(editor, changed, rest)))
  )
    throw new AppError(
      'unsupported',
      `${client.title} keeps its servers in a form that quire connect cannot edit`,
      {
        subject: file,
        hint: `Nothing was changed. Remove ${name} from ${client.servers} by hand.`,
      },
    );
  return text.startsWith(BOM) ? BOM + changed : changed;
}

/** An entry of ours with the user's own settings of the one before. */
export function mergedEntry(before: Readonly<Record<string, unknown>> | undefined, entry: Entry): Entry {
  const own = Object.entries(before ?? {}).filter(([key]) => !TRANSPORT_KEYS.includes(key));
  return { ...entry, ...(Object.fromEntries(own) as Entry) };
}

function withoutMark(text: string): string {
  return text.startsWith(BOM) ? text.slice(1) : text;
}

function isRight(editor: FormatEditor, changed: string, wanted: unknown): boolean {
  return (
    editor.mistakeIn(changed) === undefined &&
    isDeepStrictEqual(plainOf(editor.parse(changed)), plainOf(wanted))
  );
}

/** Without the prototypes that parsers differ in. */
function plainOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plainOf);
  if (!isRecord(value) || value instanceof Date) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, plainOf(item)]));
}

function entriesOf(
  { servers, isList }: Client,
  config: unknown,
): Map<string, Readonly<Record<string, unknown>>> {
  const held = recordOf(config)[servers];
  if (!isList) return new Map(Object.entries(recordOf(held)).map(([name, entry]) => [name, recordOf(entry)]));
  const items = Array.isArray(held) ? held.filter(isRecord) : [];
  return new Map(items.flatMap((item) => (typeof item.name === 'string' ? [[item.name, item]] : [])));
}

/** The value of the file with one entry set, or removed where it is undefined. */
function withValue(
  { servers, isList }: Client,
  config: unknown,
  name: string,
  entry: Entry | undefined,
): unknown {
  const whole = recordOf(config);
  const held = whole[servers];
  if (!isList) {
    const others = Object.entries(recordOf(held)).filter(([key]) => key !== name);
    return { ...whole, [servers]: Object.fromEntries(entry ? [...others, [name, entry]] : others) };
  }
  const items: unknown[] = Array.isArray(held) ? held : [];
  const at = items.findIndex((item) => isRecord(item) && item.name === name);
  const own = entry ? [entry] : [];
  return {
    ...whole,
    [servers]: at < 0 ? [...items, ...own] : [...items.slice(0, at), ...own, ...items.slice(at + 1)],
  };
}
