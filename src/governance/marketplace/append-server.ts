/**
 * Adds a server to a configuration file. The lines of the entry are inserted and every other byte stays as it is; where
 * the form of the file does not allow that, the file is rewritten with its comments. Either way the new text is parsed
 * again, and must equal the old configuration with the entry; otherwise nothing is written.
 */
import { isDeepStrictEqual } from 'node:util';
import type * as Yaml from 'yaml';
import { AppError } from '../../shared/errors.ts';
import { isRecord } from '../../shared/records.ts';

export type Fields = Readonly<Record<string, unknown>>;

/** The keys of a server, as they stand in the file. */
interface ServerEntry {
  readonly name: string;
}

export async function appendServer(text: string, settings: ServerEntry): Promise<string> {
  const yaml = await import('yaml');
  const { document, content, path, servers } = parsedServers(yaml, text);
  assertNewName(servers, settings.name);
  const wanted = withServers(content, path, [...servers, settings]);
  const tries = [
    () => splice(yaml, { text, document, path }, settings),
    () => rewrite(yaml, text, path, settings),
  ];
  for (const attempt of tries) {
    const next = attempt();
    if (next !== undefined && parsesTo(yaml, next, wanted)) return next;
  }
  throw new AppError(
    'unsupported',
    'The entry cannot be added to this file without changing the rest of it',
    {
      hint: `Add it by hand under ${path.join('.')}.`,
    },
  );
}

/** A configuration file with the servers in it, each as it stands there. */
export function parsedServers(yaml: typeof Yaml, text: string) {
  const document = yaml.parseDocument(text);
  if (document.errors.length > 0)
    throw new AppError('invalid_input', 'Configuration is not valid YAML', {
      subject: document.errors[0]?.message.split('\n')[0] ?? '',
    });
  const content = fieldsIn(document.toJS() ?? {}, 'the configuration');
  const path = placeOf(content);
  return { document, content, path, servers: listIn(valueAt(content, path), path.join('.')) };
}

/** The path of the list of servers, present or not. */
function placeOf(content: Fields): readonly string[] {
  const plane = fieldsIn(content.control_plane ?? {}, 'control_plane');
  if (content.mcp_servers !== undefined && plane.mcp_servers !== undefined)
    throw new AppError(
      'invalid_input',
      'There are servers both in mcp_servers and in control_plane.mcp_servers',
      {
        hint: 'Put them all in one place.',
      },
    );
  return content.mcp_servers === undefined ? ['control_plane', 'mcp_servers'] : ['mcp_servers'];
}

function assertNewName(servers: readonly unknown[], name: string): void {
  const isThere = servers.some((server) => isRecord(server) && server.name === name);
  if (!isThere) return;
  throw new AppError('already_exists', 'There is a server of that name already', {
    subject: name,
    hint: 'Give another name with --as.',
  });
}

interface ParsedConfig {
  readonly text: string;
  readonly document: Yaml.Document.Parsed;
  readonly path: readonly string[];
}

/** Undefined where lines cannot be inserted, as in a flow collection. */
function splice(yaml: typeof Yaml, parsed: ParsedConfig, settings: ServerEntry): string | undefined {
  const { text, document, path } = parsed;
  const nodes = [0, 1, 2]
    .map((depth) => document.getIn(path.slice(0, depth), true))
    .slice(0, path.length + 1);
  const depth = nodes.findLastIndex((node) => node !== undefined);
  const [node, above] = [nodes[depth], nodes[depth - 1]];
  const lines = linesOf(yaml, path.slice(depth), settings);
  if (isBlock(yaml, node))
    return insertAfter(text, endOf(yaml, node), indent(lines, columnOf(text, yaml, node)));
  if (!isBlock(yaml, above) || !isNothing(yaml, node)) return undefined;
  const [start, end] = node.range ?? [0, 0];
  const emptied = text.slice(0, start).trimEnd() + text.slice(end);
  return insertAfter(
    emptied,
    text.slice(0, start).trimEnd().length,
    indent(lines, columnOf(text, yaml, above) + 2),
  );
}

export function isBlock(yaml: typeof Yaml, node: unknown): node is Yaml.YAMLMap | Yaml.YAMLSeq {
  return yaml.isCollection(node) && node.flow !== true && node.items.length > 0;
}

/** `[]`, `{}`, or a key with nothing after it. */
export function isNothing(yaml: typeof Yaml, node: unknown): node is Yaml.Node {
  return yaml.isCollection(node) ? node.items.length === 0 : yaml.isScalar(node) && node.value === null;
}

export function indent(lines: readonly string[], by: number): string[] {
  return lines.map((line) => ' '.repeat(by) + line);
}

/** The lines of the missing keys and the entry. */
function linesOf(yaml: typeof Yaml, missing: readonly string[], settings: ServerEntry): string[] {
  const value = missing.reduceRight<unknown>((inner, key) => ({ [key]: inner }), [settings]);
  return yaml.stringify(value, { lineWidth: 0 }).trimEnd().split('\n');
}

/** The column of the first item: of its dash or key. */
export function columnOf(text: string, yaml: typeof Yaml, node: Yaml.YAMLMap | Yaml.YAMLSeq): number {
  const [first] = node.items;
  const start = yaml.isPair(first) && yaml.isNode(first.key) ? first.key.range?.[0] : node.range?.[0];
  const at = start ?? 0;
  return at - (text.lastIndexOf('\n', at - 1) + 1);
}

/** The end of the last value in a node. */
export function endOf(yaml: typeof Yaml, node: Yaml.Node): number {
  if (yaml.isCollection(node) && !node.flow) {
    const last = node.items.at(-1);
    const value = yaml.isPair(last) ? (last.value ?? last.key) : last;
    if (yaml.isNode(value)) return endOf(yaml, value);
  }
  return node.range?.[1] ?? 0;
}

export function insertAfter(text: string, end: number, lines: readonly string[]): string {
  const newline = text.includes('\r\n') ? '\r\n' : '\n';
  const isWholeLine = text[end - 1] === '\n';
  const lineEnd = isWholeLine ? end - 1 : text.indexOf('\n', end);
  const added = lines.join(newline) + newline;
  if (lineEnd < 0) return `${text}${newline}${added}`;
  return text.slice(0, lineEnd + 1) + added + text.slice(lineEnd + 1);
}

function rewrite(yaml: typeof Yaml, text: string, path: readonly string[], settings: ServerEntry): string {
  const document = yaml.parseDocument(text);
  // An empty `[]` or a key without a value would keep its flow form.
  const existing = document.getIn(path, true);
  const isEmpty = !yaml.isSeq(existing) || existing.items.length === 0;
  if (isEmpty) {
    if (path.length > 1 && !yaml.isMap(document.get(path[0], true)))
      document.set(path[0], document.createNode({}));
    document.setIn(path, document.createNode([settings]));
  } else document.addIn(path, document.createNode(settings));
  return document.toString({ lineWidth: 0 });
}

/** Whether a new text of a file has exactly the wanted content. */
export function parsesTo(yaml: typeof Yaml, text: string, wanted: unknown): boolean {
  try {
    return isDeepStrictEqual(yaml.parse(text), wanted);
  } catch {
    return false;
  }
}

export function withServers(content: Fields, path: readonly string[], servers: readonly unknown[]): Fields {
  if (path.length === 1) return { ...content, mcp_servers: servers };
  const plane = isRecord(content.control_plane) ? content.control_plane : {};
  return { ...content, control_plane: { ...plane, mcp_servers: servers } };
}

function valueAt(content: Fields, path: readonly string[]): unknown {
  return path.reduce<unknown>((value, key) => (isRecord(value) ? value[key] : undefined), content);
}

function listIn(value: unknown, where: string): readonly unknown[] {
  if (value === undefined || value === null) return [];
  if (Array.isArray(value)) return value;
  throw new AppError('invalid_input', `${where} is not a list`);
}

function fieldsIn(value: unknown, where: string): Fields {
  if (isRecord(value)) return value;
  throw new AppError('invalid_input', `${where} is not a mapping of keys`);
}
