/** Where each value of a configuration came from, for messages and for `quire doctor`. */
import { isRecord } from '../shared/records.ts';
import { isSecretName, redactText } from '../shared/redact.ts';
import { storeKindNames } from '../stores/registry.ts';
import type { CommandFlag, CommandSpec } from './commands/command.ts';
import { referencesIn } from './plane-file.ts';
import type { Config } from './schema.ts';

/** A path of keys in the configuration. */
type Path = readonly string[];

export interface Origin {
  /** `missing`: nothing has set it. */
  readonly kind:
    | 'flag'
    | 'variable'
    | 'file'
    | 'command file'
    | 'argument'
    | 'command'
    | 'default'
    | 'missing';
  /** As a person would say it: `--port`, `QUIRE_PORT`, `quire.yaml line 4`, `url of trilium-mcp.json`, `default`. */
  readonly name: string;
}

export interface ConfigFile {
  /** As it was given. */
  readonly path: string;
  readonly text: string;
}

/** What the loader knows of the values it has merged. Settings are by name, as in the tables of commands. */
export interface MergedSources {
  readonly spec: CommandSpec;
  readonly fromFlags: Readonly<Record<string, unknown>>;
  readonly fromEnvironment: Readonly<Record<string, unknown>>;
  readonly fromCommandFile: Readonly<Record<string, unknown>>;
  readonly file?: ConfigFile;
  /** The notebooks are those of the command line, with further settings of this notebook of the file. */
  readonly settingsOf?: string;
  readonly hasPlacedNotebooks: boolean;
}

export interface Origins {
  /** Undefined for a key that nothing has set and no flag can set. */
  readonly of: (path: Path) => Origin | undefined;
  /** Also for a value that is missing: what would set it. */
  readonly nearest: (path: Path) => Origin;
}

/** Reads the file again for its lines, so it is only called where they are shown. */
export async function createOrigins(sources: MergedSources): Promise<Origins> {
  const { spec, file, hasPlacedNotebooks } = sources;
  const keyIn = file && (await keyFinder(file.text));
  const inFile = (path: Path) => {
    const own = filePath(path, sources);
    return own && keyIn?.(own);
  };
  const asFile = ({ line, variables }: FoundKey): Origin => {
    const from = variables.length === 0 ? '' : ` (from ${variables.join(', ')})`;
    return { kind: 'file', name: `${file?.path} line ${line}${from}` };
  };
  const of = (path: Path): Origin | undefined => {
    const given = givenBy(settingNames(path), sources);
    if (given) return given;
    const found = inFile(path);
    if (found && (found.isLeaf || found.depth === path.length)) return asFile(found);
    if (hasPlacedNotebooks && isLocation(path) && path[2] === 'folder')
      return { kind: 'argument', name: 'the folder argument' };
    const fixed = { ...spec.usual, ...spec.settings };
    return settingNames(path).some((name) => name in fixed)
      ? { kind: 'command', name: 'default of the command' }
      : undefined;
  };
  const nearest = (path: Path): Origin => {
    const known = of(path);
    if (known && known.kind !== 'command') return known;
    const found = inFile(path);
    if (found && found.depth >= (path[0] === 'notebooks' ? 2 : 1)) return asFile(found);
    const option = spec.options.find(({ setting }) => settingNames(path).includes(setting));
    if (option) return { kind: 'missing', name: `${option.env} (or ${flagOf(option)})` };
    return file ? { kind: 'file', name: file.path } : { kind: 'argument', name: 'the command line' };
  };
  return { of, nearest };
}

/** The settings that a path may belong to, the narrower first. */
function settingNames(path: Path): string[] {
  const setting = path[0] === 'notebooks' ? path.slice(2) : path;
  return [setting.slice(0, 2).join('.'), setting[0] ?? ''];
}

function givenBy(names: readonly string[], sources: MergedSources): Origin | undefined {
  const { spec, fromFlags, fromEnvironment, fromCommandFile } = sources;
  for (const name of names) {
    const option = spec.options.find(({ setting }) => setting === name);
    if (option && fromFlags[name] !== undefined) return { kind: 'flag', name: flagOf(option) };
    if (option && fromEnvironment[name] !== undefined) return { kind: 'variable', name: option.env };
    const key = Object.entries(spec.file?.keys ?? {}).find(([, setting]) => setting === name)?.[0];
    if (key !== undefined && fromCommandFile[name] !== undefined)
      return { kind: 'command file', name: `${key} of ${spec.file?.name}` };
  }
  return undefined;
}

export function flagOf({ flag }: Pick<CommandFlag, 'flag'>): string {
  return /--[\w-]+/.exec(flag)?.[0] ?? flag;
}

function isLocation([section, , key]: Path): boolean {
  return section === 'notebooks' && storeKindNames.some((kind) => kind === key);
}

/** The path in the file; undefined for what comes from the command line. */
function filePath(path: Path, { hasPlacedNotebooks, settingsOf }: MergedSources): Path | undefined {
  if (!hasPlacedNotebooks || path[0] !== 'notebooks') return path;
  return settingsOf === undefined || isLocation(path)
    ? undefined
    : ['notebooks', settingsOf, ...path.slice(2)];
}

interface FoundKey {
  readonly line: number;
  /** How many keys of the path are in the file. */
  readonly depth: number;
  /** The value there is no mapping. */
  readonly isLeaf: boolean;
  /** The variables that its text refers to. */
  readonly variables: readonly string[];
}

/** Keys of `sb.config.yaml` that have another place here; see `withOriginalKeys`. */
const ORIGINAL_KEYS: readonly (readonly [here: string, there: Path])[] = [
  ['notebooks.vault.folder', ['vault']],
  ['serve.allowedOrigins', ['serve', 'allowed_origins']],
  ['auth.tokens', ['serve', 'token']],
];

async function keyFinder(text: string): Promise<(path: Path) => FoundKey | undefined> {
  const { isAlias, isMap, isScalar, isSeq, LineCounter, parseDocument } = await import('yaml');
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines });
  const find = (path: Path): FoundKey | undefined => {
    let node: unknown = document.contents;
    let at: number | undefined;
    let depth = 0;
    for (const step of path) {
      if (isAlias(node)) node = node.resolve(document);
      let next: unknown;
      if (isMap(node)) {
        const pair = node.items.find(({ key }) => isScalar(key) && String(key.value) === step);
        if (!pair) break;
        at = isScalar(pair.key) ? pair.key.range?.[0] : at;
        next = pair.value;
      } else if (isSeq(node) && node.items[Number(step)] !== undefined) {
        next = node.items[Number(step)];
        at = isScalar(next) ? next.range?.[0] : at;
      } else break;
      node = next;
      depth += 1;
    }
    if (at === undefined) return undefined;
    const value = isScalar(node) && typeof node.value === 'string' ? node.value : '';
    const isLeaf = isScalar(node) || isSeq(node);
    return { line: lines.linePos(at).line, depth, isLeaf, variables: referencesIn(value) };
  };
  return (path) => {
    const there = ORIGINAL_KEYS.find(([here]) => path.join('.').startsWith(here))?.[1];
    const original = there && find(there);
    return original && original.depth === there.length ? original : find(path);
  };
}

export interface SettingOrigin {
  /** With dots: `serve.port`. */
  readonly key: string;
  /** As text, without secrets. */
  readonly value: string;
  readonly origin: Origin;
}

const DEFAULT: Origin = { kind: 'default', name: 'default' };

/** Every value of a configuration, in its order. */
export function settingsIn(config: Config, { of }: Origins): SettingOrigin[] {
  const { configFolder: _, configFile: __, ...settings } = config;
  const below = (path: Path, value: unknown): SettingOrigin[] => {
    if (value === undefined) return [];
    if (isRecord(value) && Object.keys(value).length > 0)
      return Object.entries(value).flatMap(([key, item]) => below([...path, key], item));
    return [{ key: path.join('.'), value: shown(path, value), origin: of(path) ?? DEFAULT }];
  };
  return below([], settings);
}

function shown(path: Path, value: unknown): string {
  const isSecret = path.some((key) => isSecretName(key)) || path.slice(0, 2).join('.') === 'auth.users';
  if (isSecret && typeof value !== 'boolean' && typeof value !== 'number' && !isEmptyList(value))
    return '[redacted]';
  return redactText(typeof value === 'string' ? value : JSON.stringify(value));
}

function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}
