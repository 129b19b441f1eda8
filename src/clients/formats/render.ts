/** Entries as text of each format. The same text is written into files and shown in instructions. */
import { isRecord } from '../../shared/records.ts';
import type { Client, Entry } from '../client.ts';

/** How the lines of a file are indented and end. */
export interface TextStyle {
  readonly unit: string;
  readonly eol: string;
}

export const USUAL_STYLE: TextStyle = { unit: '  ', eol: '\n' };

export function styleOf(text: string): TextStyle {
  const unit = /^(?:\t|( {1,8})(?=[^\s]))/m.exec(text)?.[0] ?? USUAL_STYLE.unit;
  return { unit, eol: /\r?\n/.exec(text)?.[0] ?? USUAL_STYLE.eol };
}

/** Indented JSON, with lists of texts on one line. */
export function jsonText(value: unknown, { unit, eol }: TextStyle = USUAL_STYLE, indent = ''): string {
  if (Array.isArray(value) && !value.some((item) => typeof item === 'object')) return flowText(value);
  const isList = Array.isArray(value);
  if (!isList && !isRecord(value)) return JSON.stringify(value);
  const inner = indent + unit;
  const items = isList
    ? value.map((item) => jsonText(item, { unit, eol }, inner))
    : Object.entries(value).map(
        ([key, item]) => `${JSON.stringify(key)}: ${jsonText(item, { unit, eol }, inner)}`,
      );
  const [open, close] = isList ? '[]' : '{}';
  if (items.length === 0) return `${open}${close}`;
  return `${open}${eol}${items.map((item) => inner + item).join(`,${eol}`)}${eol}${indent}${close}`;
}

/** JSON on one line, which is also YAML in flow style. */
export function flowText(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(flowText).join(', ')}]`;
  if (!isRecord(value)) return JSON.stringify(value);
  const items = Object.entries(value).map(([key, item]) => `${JSON.stringify(key)}: ${flowText(item)}`);
  return items.length === 0 ? '{}' : `{ ${items.join(', ')} }`;
}

/** Lines of a YAML mapping in block style, the first without indentation. */
export function yamlText(value: unknown, { eol }: Pick<TextStyle, 'eol'> = USUAL_STYLE, indent = ''): string {
  const lines = Object.entries(isRecord(value) ? value : {}).flatMap(([key, item]): string[] => {
    if (Array.isArray(item) && item.length > 0)
      return [`${yamlScalar(key)}:`, ...item.map((one) => `  - ${yamlScalar(one)}`)];
    if (isRecord(item) && Object.keys(item).length > 0)
      return [
        `${yamlScalar(key)}:`,
        ...yamlText(item, { eol: '\n' })
          .split('\n')
          .map((line) => `  ${line}`),
      ];
    return [`${yamlScalar(key)}: ${yamlScalar(item)}`];
  });
  return lines.join(`${eol}${indent}`);
}

/** Words that YAML 1.1 or 1.2 reads as something other than text. */
const NOT_TEXT = /^(?:true|false|yes|no|on|off|y|n|null)$/i;

export function yamlScalar(value: unknown): string {
  if (typeof value !== 'string') return flowText(value);
  return /^[A-Za-z/][\w./@-]*(?: [\w./@-]+)*$/.test(value) && !NOT_TEXT.test(value)
    ? value
    : JSON.stringify(value);
}

export function tomlKey(key: string): string {
  return /^[\w-]+$/.test(key) ? key : tomlValue(key);
}

/** JSON's escapes are TOML's, but TOML also wants DEL escaped. */
export function tomlValue(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(tomlValue).join(', ')}]`;
  if (!isRecord(value)) return JSON.stringify(value).replaceAll('\u007f', '\\u007f');
  const items = Object.entries(value).map(([key, item]) => `${tomlKey(key)} = ${tomlValue(item)}`);
  return items.length === 0 ? '{}' : `{ ${items.join(', ')} }`;
}

/** What a client's file holds when Quire is all there is in it. */
export function snippet(client: Client, entries: ReadonlyMap<string, Entry>): string {
  const { servers, format, isList } = client;
  const all = [...entries];
  if (format === 'json') return jsonText({ [servers]: Object.fromEntries(all) });
  if (format === 'toml')
    return all
      .map(([name, entry]) =>
        [
          `[${servers}.${tomlKey(name)}]`,
          ...Object.entries(entry).map(([key, value]) => `${tomlKey(key)} = ${tomlValue(value)}`),
        ].join('\n'),
      )
      .join('\n\n');
  const items = all.map(([name, entry]) =>
    isList
      ? `  - ${yamlText(entry, USUAL_STYLE, '    ')}`
      : `  ${yamlScalar(name)}:\n    ${yamlText(entry, USUAL_STYLE, '    ')}`,
  );
  return `${servers}:\n${items.join('\n')}`;
}
