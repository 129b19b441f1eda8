/** Merges flags, environment, file and defaults, in that order of precedence, into one validated configuration. */
import { realpathSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename, dirname, resolve } from 'node:path';
import { AppError } from '../shared/errors.ts';
import { isErrno } from '../shared/fs/errno.ts';
import { fromHome } from '../shared/fs/folder.ts';
import { isRecord } from '../shared/records.ts';
import { storeKindNames } from '../stores/registry.ts';
import { readCommandFile, withOriginalKeys } from './command-file.ts';
import { asIs, type CommandSpec } from './commands/command.ts';
import { planeSections } from './control-plane-schema.ts';
import {
  type ConfigFile,
  createOrigins,
  flagOf,
  type Origins,
  type SettingOrigin,
  settingsIn,
} from './origins.ts';
import { notAMapping, parseYaml, REFERENCE } from './plane-file.ts';
import { checkConfig } from './problems.ts';
import { brainFrom, type Config, configSchema } from './schema.ts';
import { unknownVariables } from './variables.ts';

export interface ConfigSources {
  /** The folder named on the command line. */
  readonly folder?: string;
  /** Several folders named on the command line. */
  readonly folders?: readonly string[];
  /** Values of flags by setting; settings of a section have its name before a dot. */
  readonly flags: Readonly<Record<string, unknown>>;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly file?: string;
  /** Paths at which the command's own file is looked for, in order of precedence. */
  readonly commandFiles?: readonly string[];
  readonly spec: CommandSpec;
  /** Is told what is strange and does no harm. */
  readonly warn?: (text: string) => void;
}

export async function loadConfig(sources: ConfigSources): Promise<Config> {
  return (await readConfig(sources)).config;
}

/** The configuration, and where each of its values came from. */
export async function explainConfig(
  sources: ConfigSources,
): Promise<{ config: Config; settings: SettingOrigin[] }> {
  const { config, origins } = await readConfig(sources);
  return { config, settings: settingsIn(config, await origins()) };
}

async function readConfig(
  sources: ConfigSources,
): Promise<{ config: Config; origins: () => Promise<Origins> }> {
  const { spec, env, flags: fromFlags } = sources;
  const file = sources.file === undefined ? undefined : await readConfigFile(sources.file, env);
  if (sources.warn) unknownVariables(env, file?.text).forEach(sources.warn);
  const fromCommandFile = await readCommandFile(spec, sources.commandFiles ?? []);
  const fromEnvironment = settingsOfEnvironment(sources);
  const given = { ...fromCommandFile, ...fromEnvironment, ...fromFlags };
  const fromFile = file ? await parseConfig(file, sources) : { notebooks: {} };
  const { notebook: over, sections } = bySection({ ...given, ...spec.settings });
  assertNoDefaultTenant(over, sections);
  const { sections: usual } = bySection(spec.usual ?? {});
  const complete = withSections(fromFile, usual, sections);
  const notebooks = notebooksOfFile(fromFile, over);
  assertNothingMissing(spec, given, { ...complete, notebooks });
  const placed = placedNotebooks(sources, fromFile, over);
  const origins = () =>
    createOrigins({
      ...{ spec, fromFlags, fromEnvironment, fromCommandFile, file },
      settingsOf: Object.keys(fromFile.notebooks)[0],
      hasPlacedNotebooks: placed !== undefined,
    });
  const config = await checkConfig(withHomeFolder({ ...complete, notebooks: placed ?? notebooks }), origins);
  if (config.brain?.embeddings === 'packaged') sources.warn?.(PACKAGED_IS_GONE);
  return {
    config: file
      ? { ...config, configFile: resolve(file.path), configFolder: dirname(resolve(file.path)) }
      : config,
    origins,
  };
}

/** A configuration from the time when there was one is served as `auto`. */
const PACKAGED_IS_GONE =
  'there is no packaged embedding model any more, and none is needed: the notes themselves teach what words mean. Take brain.embeddings (--embeddings) away, or name an embedding server';

type FileContent = Record<string, unknown> & { notebooks: Record<string, unknown> };

function notebooksOfFile(file: FileContent, over: Record<string, unknown>): Record<string, unknown> {
  const completed = Object.entries(file.notebooks).map(([name, settings]) => [
    name,
    isRecord(settings) ? { ...OF_A_FILE, ...reviewOf(file), ...settings, ...over } : settings,
  ]);
  return Object.fromEntries(completed);
}

/** The notebooks whose places the command line or the environment names; they replace those of the file. */
function placedNotebooks(
  sources: ConfigSources,
  file: FileContent,
  over: Record<string, unknown>,
): Record<string, unknown> | undefined {
  const folders = foldersOf(sources);
  if (!folders && storeKindNames.every((kind) => over[kind] === undefined)) return undefined;
  const { notebook: usual } = bySection(sources.spec.usual ?? {});
  const first = Object.values(file.notebooks).find(isRecord) ?? {};
  const own = { ...usual, ...reviewOf(file), ...withoutLocation(first), ...over };
  const placed = Object.entries(folders ?? { notebook: {} }).map(([name, where]) => [
    name,
    { ...own, ...where },
  ]);
  return Object.fromEntries(placed);
}

/** Defaults of the notebooks in a file. Those of a command line keep to the tools of their command. */
const OF_A_FILE = { toolSets: ['history'] };

/** The section for all notebooks. */
function reviewOf({ review }: Record<string, unknown>): Record<string, unknown> {
  return review === undefined ? {} : { review };
}

/** The folders that the command line names, by name of notebook. */
function foldersOf({ folder, folders }: ConfigSources): Record<string, { folder: string }> | undefined {
  if (folders) return byName(differing(folders.map((one) => fromHome(one))));
  return folder === undefined ? undefined : { notebook: { folder } };
}

/** A folder inside another is served twice: alone, and as a part of the other. */
function differing(folders: readonly string[]): readonly string[] {
  const places = new Map<string, string>();
  for (const folder of folders) {
    const place = realPathOf(folder);
    const same = places.get(place);
    if (same !== undefined)
      throw new AppError('invalid_input', 'The same folder is given twice', {
        subject: same === folder ? folder : `${same} and ${folder}`,
        hint: 'Leave one of them out.',
      });
    places.set(place, folder);
  }
  return folders;
}

function realPathOf(folder: string): string {
  try {
    return realpathSync.native(folder);
  } catch {
    // Whoever opens the folder says what is wrong with it.
    return resolve(folder);
  }
}

function withoutLocation(notebook: Record<string, unknown>): Record<string, unknown> {
  const isSetting = ([key]: [string, unknown]) => !storeKindNames.some((kind) => kind === key);
  return Object.fromEntries(Object.entries(notebook).filter(isSetting));
}

/** Clients refuse names of tools over 64 characters. */
const NAME_LENGTH = 32;

/** Notebook names for several folders, derived from their base names. */
export function byName(folders: readonly string[]): Record<string, { folder: string }> {
  const notebooks: Record<string, { folder: string }> = {};
  for (const folder of folders) {
    const plain = basename(resolve(folder))
      .toLowerCase()
      .replace(/[^a-z0-9_-]+/g, '-')
      .slice(0, NAME_LENGTH);
    const name = /^[a-z]/.test(plain) ? plain : `notes-${plain}`.replace(/-+$/, '');
    let free = name;
    for (let count = 2; free in notebooks; count++) free = `${name}-${count}`;
    notebooks[free] = { folder };
  }
  return notebooks;
}

type Sections = Record<string, Record<string, unknown>>;

function bySection(settings: Readonly<Record<string, unknown>>): {
  notebook: Record<string, unknown>;
  sections: Sections;
} {
  const notebook: Record<string, unknown> = {};
  const sections: Sections = {};
  for (const [name, value] of Object.entries(settings)) {
    if (value === undefined) continue;
    const dot = name.indexOf('.');
    const section = name.slice(0, Math.max(0, dot));
    if (dot < 0) notebook[name] = value;
    else if (section in configSchema.shape)
      sections[section] = { ...sections[section], [name.slice(dot + 1)]: value };
    else notebook[section] = { ...(notebook[section] as object), [name.slice(dot + 1)]: value };
  }
  return { notebook, sections };
}

/** `usual` fills in where the file says nothing, and `given` replaces what it says. */
function withSections(
  file: Record<string, unknown>,
  usual: Sections,
  given: Sections,
): Record<string, unknown> {
  const names = Object.keys({ ...usual, ...given });
  const merged = names.map((name) => {
    const said = file[name];
    // The schema refuses a section that is no mapping.
    return [name, said === undefined || isRecord(said) ? { ...usual[name], ...said, ...given[name] } : said];
  });
  return { ...file, ...Object.fromEntries(merged) };
}

function settingsOfEnvironment({ spec, env }: ConfigSources): Record<string, unknown> {
  const settings: Record<string, unknown> = {};
  for (const option of spec.options) {
    const text = env[option.env];
    const { parse = asIs } = option;
    const value = text === undefined ? undefined : parse(text);
    if (value !== undefined) settings[option.setting] = value;
  }
  return settings;
}

/** Reports all missing settings in one error instead of one per start. */
function assertNothingMissing(
  spec: CommandSpec,
  given: Readonly<Record<string, unknown>>,
  file: Record<string, unknown>,
): void {
  const said = (setting: string) => (isBlank(given[setting]) ? settingIn(file, setting) : given[setting]);
  const missing = spec.options.filter(
    ({ isNeeded, neededUnless = '', setting }) =>
      isNeeded && said(neededUnless) !== true && isBlank(said(setting)),
  );
  if (missing.length === 0) return;
  const shorter = spec.shorterWay === undefined ? '' : ` ${spec.shorterWay}`;
  throw new AppError('invalid_input', 'Settings are missing', {
    subject: missing.map(({ env: variable }) => variable).join(', '),
    hint: `Set them in the environment or the configuration file, or give ${missing.map(flagOf).join(', ')}.${shorter}`,
  });
}

/** The value of a setting in a configuration, from its section or from any notebook. */
function settingIn(config: Record<string, unknown>, setting: string): unknown {
  const [section = '', key = ''] = setting.split('.');
  const notebooks = isRecord(config.notebooks) ? Object.values(config.notebooks) : [];
  const places = [config[section], ...notebooks.map((one) => (isRecord(one) ? one[section] : undefined))];
  const values = places.map((place) => (isRecord(place) ? place[key] : undefined));
  return values.find((value) => !isBlank(value));
}

function isBlank(value: unknown): boolean {
  if (Array.isArray(value)) return value.length === 0;
  return value === undefined || (typeof value === 'string' && value.trim() === '');
}

/**
 * Refuses a default Trilium in multi-tenant mode: a client that sends only a URL or only a token would be given the
 * operator's other half.
 */
function assertNoDefaultTenant(over: Record<string, unknown>, { gateway }: Sections): void {
  if (gateway?.multiTenant !== true || !isRecord(over.trilium)) return;
  throw new AppError('invalid_input', 'With --multi-tenant every client brings its own Trilium', {
    subject: `${Object.keys(over.trilium).join(', ')} was given`,
    hint: 'Leave TRILIUM_URL, TRILIUM_TOKEN, --public-url and --subtree out, or leave --multi-tenant out.',
  });
}

async function readConfigFile(path: string, env: ConfigSources['env']): Promise<ConfigFile> {
  try {
    return { path, text: await readFile(path, 'utf8') };
  } catch (cause) {
    const why = isErrno(cause, 'ENOENT', 'ENOTDIR')
      ? 'It does not exist'
      : isErrno(cause, 'EISDIR')
        ? 'It is a folder'
        : isErrno(cause, 'EACCES', 'EPERM')
          ? 'You may not read it'
          : 'It cannot be opened';
    const named = env.QUIRE_CONFIG === path ? 'QUIRE_CONFIG' : '--config';
    throw new AppError('not_found', 'Cannot read the configuration file', {
      subject: path,
      hint: `${why}. Correct ${named}, or write a configuration with: quire init`,
      cause,
    });
  }
}

async function parseConfig(
  { path: file, text }: ConfigFile,
  { env, spec }: Pick<ConfigSources, 'env' | 'spec'>,
): Promise<FileContent> {
  const config = await parseYaml(text, file);
  if (!isRecord(config)) throw notAMapping(file, config);
  const source = { env, file, keepsMissing: spec.keepsVariables === true };
  // Those of the governed plane are resolved only when they are used.
  const settled = Object.entries(config).map(([key, value]) => [
    key,
    Object.hasOwn(planeSections, key) ? value : withVariables(value, source),
  ]);
  const filled: Record<string, unknown> = { ...withOriginalKeys(Object.fromEntries(settled)) };
  if (filled.brain !== undefined) filled.brain = brainFrom(filled.brain);
  const notebooks = isRecord(filled.notebooks) ? filled.notebooks : {};
  const placed = Object.entries(notebooks).map(([name, settings]) => [
    name,
    withAbsoluteFolder(settings, dirname(resolve(file))),
  ]);
  return { ...filled, notebooks: Object.fromEntries(placed) };
}

interface SettingSource {
  readonly env: ConfigSources['env'];
  readonly file: string;
  /** Keeps references to unset variables as they are. */
  readonly keepsMissing: boolean;
}

/** Replaces `${env:NAME}` in every text, so that secrets need not be in the file. */
function withVariables(value: unknown, filling: SettingSource): unknown {
  const { env, file, keepsMissing } = filling;
  if (typeof value === 'string')
    return value.replace(REFERENCE, (reference, name: string) => {
      const text = env[name];
      if (text !== undefined) return text;
      if (keepsMissing) return reference;
      throw new AppError('invalid_input', `The configuration file needs the environment variable ${name}`, {
        subject: file,
        hint: `Set ${name}, or write the value into the file.`,
      });
    });
  if (Array.isArray(value)) return value.map((item) => withVariables(item, filling));
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, withVariables(item, filling)]));
}

/** Folders as people write them, from wherever they came. */
function withHomeFolder(config: FileContent): FileContent {
  const notebooks = Object.entries(config.notebooks).map(([name, settings]) => [
    name,
    homeAt(settings, 'folder'),
  ]);
  const state = config.state === undefined ? {} : { state: homeAt(config.state, 'dir') };
  return { ...config, ...state, notebooks: Object.fromEntries(notebooks) };
}

function homeAt(settings: unknown, key: string): unknown {
  if (!isRecord(settings)) return settings;
  const folder = settings[key];
  return typeof folder === 'string' ? { ...settings, [key]: fromHome(folder) } : settings;
}

function withAbsoluteFolder(settings: unknown, base: string): unknown {
  if (!isRecord(settings) || typeof settings.folder !== 'string') return settings;
  return { ...settings, folder: resolve(base, fromHome(settings.folder)) };
}
