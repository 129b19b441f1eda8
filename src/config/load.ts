/** Merges flags, environment, file and defaults, in that order of precedence, into one validated configuration. */
import { readFile } from 'node:fs/promises';
import { basename, dirname, resolve } from 'node:path';
import * as z from 'zod';
import { AppError } from '../shared/errors.ts';
import { nearest } from '../shared/nearest.ts';
import { isRecord } from '../shared/records.ts';
import { storeKindNames } from '../stores/registry.ts';
import { readCommandFile, withOriginalKeys } from './command-file.ts';
import { asIs, type CommandSpec } from './commands/command.ts';
import { planeSections } from './control-plane-schema.ts';
import { notAMapping, parseYaml, REFERENCE } from './plane-file.ts';
import { brainFrom, type Config, configSchema } from './schema.ts';

interface ConfigSources {
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
}

export async function loadConfig(sources: ConfigSources): Promise<Config> {
  const config = await readConfig(sources);
  return sources.file === undefined ? config : { ...config, configFolder: dirname(resolve(sources.file)) };
}

async function readConfig(sources: ConfigSources): Promise<Config> {
  const fromCommandFile = await readCommandFile(sources.spec, sources.commandFiles ?? []);
  const given = { ...fromCommandFile, ...fromEnvironment(sources), ...sources.flags };
  const fromFile =
    sources.file === undefined ? { notebooks: {} } : await readConfigFile(sources.file, sources);
  const labels = labelsOf(sources, fromCommandFile);
  const { notebook: usualNotebook, sections: usual } = bySection(sources.spec.usual ?? {});
  const { notebook: over, sections } = bySection({ ...given, ...sources.spec.settings });
  assertNoDefaultTenant(over, sections);
  const notebooks: Record<string, unknown> = Object.fromEntries(
    Object.entries(fromFile.notebooks).map(([name, settings]) => [
      name,
      isRecord(settings) ? { ...OF_A_FILE, ...reviewOf(fromFile), ...settings, ...over } : settings,
    ]),
  );
  const complete = withSections(fromFile, usual, sections);
  assertNothingMissing(sources.spec, given, { ...complete, notebooks });
  const folders = foldersOf(sources);
  if (folders || storeKindNames.some((kind) => over[kind] !== undefined)) {
    const first = Object.values(fromFile.notebooks).find(isRecord) ?? {};
    const own = { ...usualNotebook, ...reviewOf(fromFile), ...withoutLocation(first), ...over };
    const placed = Object.entries(folders ?? { notebook: {} }).map(([name, where]) => [
      name,
      { ...own, ...where },
    ]);
    return check({ ...complete, notebooks: Object.fromEntries(placed) }, 'command line', labels);
  }
  return check({ ...complete, notebooks }, sources.file ?? 'command line', labels);
}

/** Defaults of the notebooks in a file. Those of a command line keep to the tools of their command. */
const OF_A_FILE = { toolSets: ['history'] };

/** The section for all notebooks. */
function reviewOf({ review }: Record<string, unknown>): Record<string, unknown> {
  return review === undefined ? {} : { review };
}

/** The folders that the command line names, by name of notebook. */
function foldersOf({ folder, folders }: ConfigSources): Record<string, { folder: string }> | undefined {
  if (folders) return byName(folders);
  return folder === undefined ? undefined : { notebook: { folder } };
}

function withoutLocation(notebook: Record<string, unknown>): Record<string, unknown> {
  const isSetting = ([key]: [string, unknown]) => !storeKindNames.some((kind) => kind === key);
  return Object.fromEntries(Object.entries(notebook).filter(isSetting));
}

/** Notebook names for several folders, derived from their base names. */
function byName(folders: readonly string[]): Record<string, { folder: string }> {
  const notebooks: Record<string, { folder: string }> = {};
  for (const folder of folders) {
    const plain = basename(resolve(folder))
      .toLowerCase()
      .replace(/[^a-z0-9_-]+/g, '-');
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

function fromEnvironment({ spec, env }: ConfigSources): Record<string, unknown> {
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
  throw new AppError('invalid_input', 'Settings are missing', {
    subject: missing.map(({ env: variable }) => variable).join(', '),
    hint: `Set them in the environment or the configuration file, or give ${missing.map(({ flag }) => /--[\w-]+/.exec(flag)?.[0]).join(', ')}.`,
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

async function readConfigFile(
  file: string,
  { env, spec }: Pick<ConfigSources, 'env' | 'spec'>,
): Promise<Record<string, unknown> & { notebooks: Record<string, unknown> }> {
  const text = await readFile(file, 'utf8').catch((cause: unknown) => {
    throw new AppError('not_found', 'Cannot read the configuration file', { subject: file, cause });
  });
  const config = await parseYaml(text, file);
  if (!isRecord(config)) throw notAMapping(file);
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

function withAbsoluteFolder(settings: unknown, base: string): unknown {
  if (!isRecord(settings) || typeof settings.folder !== 'string') return settings;
  return { ...settings, folder: resolve(base, settings.folder) };
}

type Labels = ReadonlyMap<string, string>;

/** The name under which each setting was given, for messages: the flag, else the variable, else the key of the command's file. */
function labelsOf(
  { spec, env, flags }: ConfigSources,
  fromCommandFile: Readonly<Record<string, unknown>>,
): Labels {
  const labels = new Map<string, string>();
  for (const [key, setting] of Object.entries(spec.file?.keys ?? {}))
    if (fromCommandFile[setting] !== undefined) labels.set(setting, `${key} of ${spec.file?.name}`);
  for (const { setting, env: variable, flag } of spec.options) {
    if (env[variable] !== undefined && env[variable] !== '') labels.set(setting, variable);
    if (flags[setting] !== undefined) labels.set(setting, /--[\w-]+/.exec(flag)?.[0] ?? flag);
  }
  return labels;
}

function check(config: unknown, source: string, labels: Labels): Config {
  const result = configSchema.safeParse(config, { reportInput: true });
  if (result.success) return result.data;
  const ofPlane = result.error.issues.filter(({ path }) => Object.hasOwn(planeSections, String(path[0])));
  if (ofPlane.length > 0) throw planeProblem(ofPlane);
  const problems = result.error.issues.slice(0, 5).map((issue) => problemOf(issue, labels));
  throw new AppError('invalid_input', 'Invalid configuration', {
    subject: `${source}: ${problems.join('; ')}`,
  });
}

/** For example: `config: control_plane.mcp_polcy: unknown key (did you mean mcp_policy?)` */
function planeProblem(issues: readonly z.core.$ZodIssue[]): AppError {
  const problems = issues.slice(0, 5).flatMap(planeProblemsOf);
  return new AppError('invalid_input', 'config', { subject: problems.join('; '), reason: 'invalid_plane' });
}

function planeProblemsOf(issue: z.core.$ZodIssue): string[] {
  const at = issue.path.map((step) => (typeof step === 'number' ? `[${step}]` : `.${String(step)}`)).join('');
  const path = at.slice(1);
  if (issue.code === 'unrecognized_keys') {
    const known = knownKeys(issue.path);
    return issue.keys.map((key) => `${path}.${key}: unknown key${didYouMean(key, known)}`);
  }
  if (issue.code === 'invalid_key') return [`${path}: ${issue.issues[0]?.message ?? issue.message}`];
  const wanted = issue.code === 'invalid_value' ? issue.values.map(String) : [];
  return [`${path}: ${issue.message}${didYouMean(String(issue.input ?? ''), wanted)}`];
}

function didYouMean(word: string, known: readonly string[]): string {
  const suggestion = nearest(word, known);
  return suggestion === undefined ? '' : ` (did you mean ${suggestion}?)`;
}

function problemOf(issue: z.core.$ZodIssue, labels: Labels): string {
  const at = issue.path.map(String).join('.');
  if (issue.code !== 'unrecognized_keys') {
    const label = labelAt(issue.path.map(String), labels);
    return `${label === undefined ? '' : `${label}, which is `}${at || 'configuration'}: ${issue.message}`;
  }
  const known = knownKeys(issue.path);
  return issue.keys
    .map((key) => {
      const suggestion = nearest(key, known);
      return `unknown key ${at ? `${at}.` : ''}${key}${suggestion ? `, did you mean ${suggestion}?` : ''}`;
    })
    .join('; ');
}

/** The label of the setting that contains a path of the configuration. */
function labelAt(path: readonly string[], labels: Labels): string | undefined {
  const setting = path[0] === 'notebooks' ? path.slice(2) : path;
  return labels.get(setting.slice(0, 2).join('.')) ?? labels.get(setting[0] ?? '');
}

/** Valid keys at a path of the configuration, for suggestions. */
function knownKeys(path: readonly PropertyKey[]): string[] {
  let schema: unknown = configSchema;
  for (const step of path) schema = schemaBelow(schema, step);
  const found = unwrapped(schema);
  return found instanceof z.ZodObject ? Object.keys(found.shape) : [];
}

function schemaBelow(schema: unknown, step: PropertyKey): unknown {
  const found = unwrapped(schema);
  if (found instanceof z.ZodObject) return found.shape[String(step)];
  if (found instanceof z.ZodRecord) return found.valueType;
  return found instanceof z.ZodArray ? found.element : undefined;
}

function unwrapped(schema: unknown): unknown {
  if (schema instanceof z.ZodPipe) return unwrapped(schema.in);
  const isWrapper =
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodPrefault ||
    schema instanceof z.ZodExactOptional ||
    schema instanceof z.ZodLazy;
  return isWrapper ? unwrapped(schema.unwrap()) : schema;
}
