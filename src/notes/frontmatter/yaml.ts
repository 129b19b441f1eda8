/**
 * The only file that loads the YAML library; reach it through `await import('./yaml.ts')`.
 *
 * Reads YAML 1.2 (core): dates stay strings, `<<` is an ordinary key, keys are strings and stand once. Every
 * value is plain JSON. Size, nesting and alias expansion are bounded before they can cost anything: the
 * library recurses, and a note with thousands of brackets would otherwise end the process.
 */
import type { Alias, CST, Node, Pair, Scalar, YAMLMap } from 'yaml';
import { isAlias, isMap, isScalar, isSeq, Lexer, parseDocument } from 'yaml';

/** One `key: value` of a mapping, with the tokens it was read from. */
export interface FrontmatterEntry {
  readonly key: string;
  readonly item: CST.CollectionItem;
  /** The entries of the value, when that is a mapping written in place. */
  readonly children: readonly FrontmatterEntry[] | undefined;
}

export interface FrontmatterBlock {
  readonly data: Record<string, unknown>;
  readonly entries: readonly FrontmatterEntry[];
  /** The top-level mapping; missing in a block without keys. */
  readonly map: CST.BlockMap | CST.FlowCollection | undefined;
  readonly hasAliases: boolean;
}

const MAX_BLOCK_CHARACTERS = 100_000;
const MAX_NESTING = 50;
const MAX_ALIASED_SIZE = 200_000;

/** A reason why the block cannot be read, with the place it was found at. */
class BlockProblem extends Error {
  readonly offset: number;
  constructor(message: string, offset: number) {
    super(message);
    this.offset = offset;
  }
}

/** `source` starts with the opening `---` line, so that line numbers are those of the note. */
export function parseBlock(source: string): FrontmatterBlock | { readonly problem: string } {
  try {
    return readBlock(source);
  } catch (error) {
    if (!(error instanceof BlockProblem)) throw error;
    const quoted = quoteVariables(source);
    if (quoted) {
      const block = parseQuoted(quoted);
      if (block) return block;
    }
    const line = source.slice(0, error.offset).split('\n').length;
    return { problem: `${firstLine(error.message)}, line ${line}` };
  }
}

/** A value of a template: `{{date}}` is text to people and to note apps, a mapping in a mapping to YAML. */
const VARIABLES =
  /^([ \t]*(?:[^\s#"'{}[\]-][^\n:"'{}[\]]*:|-)[ \t]+)(\{\{[^{}"\\\n]*\}\}(?:[^{}"\\\n#]*\{\{[^{}"\\\n]*\}\})*)(?=[ \t]*(?:[ \t]#.*)?\r?$)/gm;
const BLOCK_SCALAR = /[|>][-+\d]*[ \t]*(?:#.*)?\r?$/m;

interface QuotedVariables {
  /** As long as before, so that places in it are places in the note. */
  readonly source: string;
  /** The variables as they were written, by their places. */
  readonly values: ReadonlyMap<number, string>;
}

function quoteVariables(source: string): QuotedVariables | undefined {
  if (!source.includes('{{') || BLOCK_SCALAR.test(source)) return undefined;
  const values = new Map<number, string>();
  const quoted = source.replace(VARIABLES, (_, before: string, value: string, at: number) => {
    values.set(at + before.length, value);
    return `${before}"${value.slice(1, -1)}"`;
  });
  return values.size === 0 ? undefined : { source: quoted, values };
}

function parseQuoted({ source, values }: QuotedVariables): FrontmatterBlock | undefined {
  try {
    return readBlock(source, values);
  } catch (error) {
    if (!(error instanceof BlockProblem)) throw error;
    return undefined;
  }
}

/** A text or a key that holds a `#` has no comment for that. */
export function hasComment(yaml: string): boolean {
  for (const lexeme of new Lexer().lex(yaml)) if (lexeme.startsWith('#')) return true;
  return false;
}

function readBlock(source: string, written: ReadonlyMap<number, string> = new Map()): FrontmatterBlock {
  if (source.length > MAX_BLOCK_CHARACTERS)
    throw new BlockProblem(`The block is longer than ${MAX_BLOCK_CHARACTERS} characters`, 0);
  refuseDeepNesting(source);
  const document = parseDocument(source, {
    keepSourceTokens: true,
    // 'silent' would also hide that a second document begins.
    logLevel: 'error',
    prettyErrors: false,
    resolveKnownTags: false,
    stringKeys: true,
    uniqueKeys: false,
  });
  const [error] = document.errors;
  if (error) throw new BlockProblem(error.message, error.pos[0]);
  const { contents } = document;
  if (isMap(contents)) {
    const reader = createReader(written);
    const data = reader.read(contents, 0).value as Record<string, unknown>;
    // A mapping's source token is one of these two; the library types it as any token.
    const map = contents.srcToken as CST.BlockMap | CST.FlowCollection;
    return { data, entries: entriesOf(contents), map, hasAliases: reader.aliases > 0 };
  }
  if (contents === null || (isScalar(contents) && contents.value === null && !contents.source))
    return { data: {}, entries: [], map: undefined, hasAliases: false };
  throw new BlockProblem('The block is not a mapping of keys to values', contents.range?.[0] ?? 0);
}

function entriesOf(map: YAMLMap): FrontmatterEntry[] {
  return map.items.map((pair) => ({
    key: keyOf(pair),
    // Kept for every pair by `keepSourceTokens`.
    item: pair.srcToken!,
    children: isMap(pair.value) ? entriesOf(pair.value) : undefined,
  }));
}

function keyOf(pair: Pair): string {
  return String((pair.key as Scalar | null)?.value ?? '');
}

/** Counts nesting on the flat token stream: brackets, and how many columns are open at once. */
function refuseDeepNesting(source: string): void {
  const columns: number[] = [];
  let flow = 0;
  let offset = 0;
  let lineStart = 0;
  let opensNode = true;
  for (const lexeme of new Lexer().lex(source)) {
    if (lexeme === '\u0002' || lexeme === '\u001f' || lexeme === '\u0018') continue;
    if (lexeme === '[' || lexeme === '{') flow++;
    else if (lexeme === ']' || lexeme === '}') flow = Math.max(0, flow - 1);
    const blank = lexeme.trim() === '';
    if (opensNode && !blank && flow === 0) {
      const column = offset - lineStart;
      while (columns.length > 0 && columns[columns.length - 1]! >= column) columns.pop();
      columns.push(column);
    }
    if (columns.length + flow > MAX_NESTING)
      throw new BlockProblem(`Values are nested more than ${MAX_NESTING} levels deep`, offset);
    offset += lexeme.length;
    const newline = lexeme.lastIndexOf('\n');
    if (newline >= 0) lineStart = offset - lexeme.length + newline + 1;
    if (!blank) opensNode = lexeme === '-' || lexeme === '?' || lexeme === ':';
    if (lexeme.endsWith('\n')) opensNode = true;
  }
}

interface MeasuredValue {
  readonly value: unknown;
  /** Characters and values it adds when written out. */
  readonly size: number;
  readonly height: number;
}

/** `written` are values that stand in the note in another way than in the source. */
function createReader(written: ReadonlyMap<number, string>) {
  const anchors = new Map<string, MeasuredValue>();
  let aliasedSize = 0;
  const reader = { aliases: 0, read };
  return reader;

  function read(node: unknown, depth: number): MeasuredValue {
    if (isAlias(node)) return resolve(node, depth);
    const measured = isMap(node)
      ? readMap(node, depth)
      : isSeq(node)
        ? readList(node.items, depth)
        : readScalar(node as Scalar | null, written);
    const anchor = (node as Node | null)?.anchor;
    if (anchor !== undefined) anchors.set(anchor, measured);
    return measured;
  }

  function resolve(alias: Alias, depth: number): MeasuredValue {
    const offset = alias.range?.[0] ?? 0;
    reader.aliases++;
    const target = anchors.get(alias.source);
    if (!target) throw new BlockProblem(`The alias *${alias.source} has no anchor before it`, offset);
    aliasedSize += target.size;
    if (aliasedSize > MAX_ALIASED_SIZE)
      throw new BlockProblem('The aliases stand for too much content', offset);
    if (depth + target.height > MAX_NESTING)
      throw new BlockProblem(`Values are nested more than ${MAX_NESTING} levels deep`, offset);
    return { ...target, value: structuredClone(target.value) };
  }

  function readMap(map: YAMLMap, depth: number): MeasuredValue {
    const value: Record<string, unknown> = {};
    let size = 1;
    let height = 0;
    for (const pair of map.items) {
      const key = String(read(pair.key, depth + 1).value ?? '');
      if (Object.hasOwn(value, key))
        throw new BlockProblem(
          `The key ${JSON.stringify(key)} is there twice`,
          (pair.key as Scalar).range?.[0] ?? 0,
        );
      const child = read(pair.value, depth + 1);
      size += key.length + child.size;
      height = Math.max(height, child.height);
      // Not an assignment: `__proto__` would change the prototype instead of becoming a key.
      Object.defineProperty(value, key, {
        value: child.value,
        writable: true,
        enumerable: true,
        configurable: true,
      });
    }
    return { value, size, height: height + 1 };
  }

  function readList(items: readonly unknown[], depth: number): MeasuredValue {
    const children = items.map((item) => read(item, depth + 1));
    return {
      value: children.map((child) => child.value),
      size: children.reduce((sum, child) => sum + child.size, 1),
      height: children.reduce((height, child) => Math.max(height, child.height), 0) + 1,
    };
  }
}

function readScalar(scalar: Scalar | null, written: ReadonlyMap<number, string>): MeasuredValue {
  const value = written.get(scalar?.range?.[0] ?? -1) ?? jsonScalar(scalar);
  return { value, size: typeof value === 'string' ? value.length + 1 : 1, height: 0 };
}

/** Values that JSON cannot hold (`.inf`, `.nan`) or would round (a long id) are given as written. */
function jsonScalar(scalar: Scalar | null): string | number | boolean | null {
  const value = scalar?.value;
  const source = scalar?.source ?? '';
  if (typeof value === 'string' || typeof value === 'boolean') return value;
  if (typeof value !== 'number') return null;
  const isLongInteger =
    Number.isInteger(value) && !Number.isSafeInteger(value) && !/^[-+]?[\d.]*[.eE]/.test(source);
  if (!Number.isFinite(value) || isLongInteger) return source;
  return value === 0 ? 0 : value;
}

function firstLine(message: string): string {
  const line = message.split('\n', 1)[0]!.replace(/[:.]$/, '');
  return line.length > 160 ? `${line.slice(0, 160)}…` : line;
}
