/**
 * Sets values in a configuration file. Only the bytes of the value change, or lines are inserted; where the form of the
 * file does not allow that, the file is rewritten with its comments. Either way the new text is parsed again, and must
 * equal the old configuration with the values; otherwise nothing is written.
 */
import type * as Yaml from 'yaml';
import type { ControlPlane } from '../config/control-plane.ts';
import { AppError } from '../shared/errors.ts';
import { isRecord } from '../shared/records.ts';
import {
  columnOf,
  endOf,
  indent,
  insertAfter,
  isBlock,
  isNothing,
  parsesTo,
} from './marketplace/append-server.ts';

/** Keys of mappings and places in lists, from the top of the file. */
export type ConfigPath = readonly (string | number)[];

/** Of the entry of a server. */
export function serverPath(
  { servers, serversKey }: Pick<ControlPlane, 'servers' | 'serversKey'>,
  name: string,
): ConfigPath {
  return [...serversKey.split('.'), servers.findIndex((one) => one.name === name)];
}

export async function setInConfig(text: string, path: ConfigPath, value: string): Promise<string> {
  const yaml = await import('yaml');
  const document = yaml.parseDocument(text);
  const [error] = document.errors;
  if (error)
    throw new AppError('invalid_input', 'Configuration is not valid YAML', {
      subject: error.message.split('\n')[0] ?? '',
    });
  const wanted = withValue(document.toJS() ?? {}, path, value);
  const tries = [() => splice(yaml, { text, document, path }, value), () => rewrite(yaml, text, path, value)];
  for (const attempt of tries) {
    const next = attempt();
    if (next !== undefined && parsesTo(yaml, next, wanted)) return next;
  }
  throw notWritten(path);
}

function notWritten(path: ConfigPath): AppError {
  return new AppError('unsupported', 'This cannot be written without changing the rest of the file', {
    subject: path.join('.'),
    hint: 'Write it by hand.',
  });
}

interface ParsedConfig {
  readonly text: string;
  readonly document: Yaml.Document.Parsed;
  readonly path: ConfigPath;
}

/** Undefined where neither bytes nor lines can be put in, as in a mapping in braces. */
function splice(
  yaml: typeof Yaml,
  { text, document, path }: ParsedConfig,
  value: string,
): string | undefined {
  const nodes = [...path.keys(), path.length].map((depth) => document.getIn(path.slice(0, depth), true));
  const depth = nodes.findLastIndex((node) => node !== undefined && node !== null);
  const [node, above] = [nodes[depth], nodes[depth - 1]];
  if (depth === path.length) return replaced(yaml, text, node, value);
  const lines = linesOf(yaml, path.slice(depth), value);
  if (lines === undefined) return undefined;
  if (isBlock(yaml, node) && yaml.isMap(node))
    return insertAfter(text, endOf(yaml, node), indent(lines, columnOf(text, yaml, node)));
  if (!isBlock(yaml, above) || !isNothing(yaml, node)) return undefined;
  const [start, end] = node.range ?? [0, 0];
  const before = text.slice(0, start).trimEnd();
  return insertAfter(before + text.slice(end), before.length, indent(lines, columnOf(text, yaml, above) + 2));
}

/** The value of a line alone: one that goes over lines, or has an anchor, is left to the rewrite. */
function replaced(yaml: typeof Yaml, text: string, node: unknown, value: string): string | undefined {
  if (!yaml.isScalar(node) || !node.range || node.anchor !== undefined) return undefined;
  const [start, end] = node.range;
  return text.slice(start, end).includes('\n')
    ? undefined
    : text.slice(0, start) + JSON.stringify(value) + text.slice(end);
}

function linesOf(yaml: typeof Yaml, missing: ConfigPath, value: string): string[] | undefined {
  if (missing.some((key) => typeof key === 'number')) return undefined;
  const nested = missing.reduceRight<unknown>((inner, key) => ({ [key]: inner }), value);
  return yaml.stringify(nested, { lineWidth: 0 }).trimEnd().split('\n');
}

function rewrite(yaml: typeof Yaml, text: string, path: ConfigPath, value: string): string {
  const document = yaml.parseDocument(text);
  for (const depth of path.keys())
    if (depth > 0 && !yaml.isCollection(document.getIn(path.slice(0, depth), true)))
      document.setIn(path.slice(0, depth), document.createNode({}));
  document.setIn(path, value);
  return document.toString({ lineWidth: 0 });
}

function withValue(content: unknown, [key, ...rest]: ConfigPath, value: string): unknown {
  if (key === undefined) return value;
  if (Array.isArray(content) && typeof key === 'number')
    return content.map((item, at) => (at === key ? withValue(item, rest, value) : item));
  if (content !== undefined && content !== null && !isRecord(content)) throw notWritten([key, ...rest]);
  const fields = content ?? {};
  return { ...fields, [key]: withValue(fields[key], rest, value) };
}
