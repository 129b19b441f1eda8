/** A parsed command line, and the configuration and log that follow from it for every command. */
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { isatty } from 'node:tty';
import { createConvertThreads, type StartupHook } from '../app/services.ts';
import { ViewKeys } from '../app/view-keys.ts';
import { type CommandSpec, LOG_LEVELS, type LogLevels } from '../config/commands/command.ts';
import { PLACES } from '../config/commands/silverbullet.ts';
import { exposesServers } from '../config/control-plane.ts';
import { type ConfigSources, loadConfig } from '../config/load.ts';
import { type Environment, findPlaneFile } from '../config/plane-file.ts';
import type { Config, NotebookConfig } from '../config/schema.ts';
import { AppError } from '../shared/errors.ts';
import { cacheFolderOf } from '../shared/fs/errno.ts';
import { fromHome } from '../shared/fs/folder.ts';
import { createLog, type Log, type LogFormat, type LogThreshold } from '../shared/log.ts';
import { redact, redactText } from '../shared/redact.ts';
import type { StartupPrograms } from '../startup/hook.ts';
import { commandOf, inNameOf } from './exit-code.ts';

function logLevelOf(text: string, words: LogLevels = LOG_LEVELS): LogThreshold {
  const level = new Map(Object.entries(words)).get(text.trim().toLowerCase());
  if (level) return level;
  throw new AppError('invalid_input', 'Unknown log level', {
    subject: text,
    hint: `Use ${choiceOf(words)}.`,
  });
}

/** The level names to choose from, without synonyms. */
export function choiceOf(words: LogLevels = LOG_LEVELS): string {
  const names = Object.entries(words).flatMap(([word, level]) => (word === level ? [word] : []));
  return `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`;
}

function logFormatOf(text: string): LogFormat {
  const format = text.trim().toLowerCase();
  if (format === 'json' || format === 'text') return format;
  throw new AppError('invalid_input', 'Unknown log format', { subject: text, hint: 'Use json or text.' });
}

export interface FolderCommand {
  readonly spec: CommandSpec;
  /** Printed when no folder is given. */
  readonly usage: string;
  readonly folder?: string;
  readonly folders?: readonly string[];
  readonly file?: string;
  /** See `withUsualFile`. */
  readonly findsFile?: true;
  readonly name?: string;
  readonly logLevel?: string;
  readonly logFormat?: string;
  readonly flags: Readonly<Record<string, unknown>>;
}

/** What a configuration is made of, for `loadConfig` and `explainConfig`. */
export function sourcesOf(command: FolderCommand, env: Environment): ConfigSources {
  const { spec, flags, folder, folders } = command;
  const given = command.file ?? env.QUIRE_CONFIG;
  return {
    flags,
    env,
    spec,
    folder,
    folders: folders?.length ? folders : undefined,
    file: given === undefined ? undefined : fromHome(given),
    commandFiles: spec.file ? [resolve(spec.file.name), join(homedir(), `.${spec.file.name}`)] : undefined,
  };
}

export async function configOf(command: FolderCommand, env: Environment): Promise<Config> {
  const sources = sourcesOf(command.findsFile ? await withUsualFile(command, env) : command, env);
  const config = await loadConfig({ ...sources, warn: noticesOf(command, env).warn });
  const isServed = Object.keys(config.notebooks).length > 0 || exposesServers(config);
  if (isServed || config.gateway?.multiTenant) return config;
  if (sources.file !== undefined)
    throw new AppError('invalid_input', 'The configuration names no notebook', {
      subject: sources.file,
      hint: 'Add a folder of notes under notebooks, or write a new file with: quire init',
    });
  throw new AppError('invalid_input', 'No folder given', {
    hint: `Usage: ${command.usage}\nOr write a configuration once, with: quire init`,
  });
}

/** Without a folder, a file or a server, the configuration file of the working folder or the home folder is used. */
export async function withUsualFile(
  command: FolderCommand,
  environment: Environment,
  workingFolder = process.cwd(),
): Promise<FolderCommand> {
  if (isPlaced(command, environment)) return command;
  const found = await findPlaneFile({ environment, workingFolder });
  return found ? { ...command, file: found.path } : command;
}

/** Whether the command line or the environment says where the notes are. */
export function isPlaced({ file, folder, folders, flags, spec }: FolderCommand, env: Environment): boolean {
  if ((file ?? folder ?? folders?.[0] ?? env.QUIRE_CONFIG) !== undefined) return true;
  const isGiven = (setting: string) =>
    flags[setting] !== undefined ||
    spec.options.some((option) => option.setting === setting && !!env[option.env]);
  return PLACES.some(isGiven);
}

export function logOf(command: FolderCommand, env: Environment, write: (line: string) => void): Log {
  const { log } = command.spec;
  const format = command.logFormat ?? (env[log.formatEnv ?? 'QUIRE_LOG_FORMAT'] || log.format) ?? 'json';
  const plain = createLog(thresholdOf(command, env), write, {
    format: logFormatOf(format),
    shape: log.shape,
  });
  // Callers redact what they log; this is a second line of defence.
  return (severity, message, fields) => plain(severity, redactText(message), fields && redact(fields));
}

function thresholdOf({ spec: { log }, logLevel }: FolderCommand, env: Environment): LogThreshold {
  return logLevelOf(logLevel ?? (env[log.env] || log.usual), log.levels);
}

export function toStderr(text: string): void {
  process.stderr.write(text);
}

/** Messages for the person at the terminal, beside the log; none when the log is silent. */
export function noticesOf(command: FolderCommand, env: Environment) {
  const isSilent = thresholdOf(command, env) === 'silent';
  const say = (text: string) => {
    if (!isSilent) toStderr(`quire: ${inNameOf(commandOf(process.argv, env), text)}\n`);
  };
  return { say, warn: (text: string) => say(`warning: ${text}`) };
}

/** A server over stdio says nothing by itself, so a person who starts one in a terminal would take it for hung. */
export function explainOnTerminal(command: FolderCommand, env: Environment, isTerminal = isatty(0)): void {
  if (!isTerminal) return;
  noticesOf(command, env).say(
    'ready. An AI client starts this program by itself and talks to it here; quire connect adds it to your clients. Ctrl+C ends it.',
  );
}

/** Runs a start; logs a failure as an event where the command logs events. */
export async function startLogged<Started>(
  { spec }: FolderCommand,
  log: Log,
  start: () => Promise<Started>,
): Promise<Started> {
  try {
    return await start();
  } catch (error) {
    if (spec.log.shape === 'events')
      log('error', 'startup_failed', { err: error instanceof Error ? error.message : String(error) });
    throw error;
  }
}

/** The cache folder, and the workers' programs, which are beside the bundle this is part of. */
export function placesOf(env: Environment) {
  return {
    cacheFolder: cacheFolderOf(env),
    convertThreads: createConvertThreads(join(__dirname, 'quire-converter.cjs')),
    passwordThread: join(__dirname, 'quire-passwords.cjs'),
  };
}

/** The services by which a server opens its notebooks. `QUIRE_STARTUP=plain` leaves the start-up hook out, for diagnosis. */
export function servicesOf(log: Log, env: Environment, hook: (programs: StartupPrograms) => StartupHook) {
  const programs = {
    indexThread: join(__dirname, 'quire-indexer.cjs'),
    folderThread: join(__dirname, 'quire-folder.cjs'),
    meaningThread: join(__dirname, 'quire-meaning.cjs'),
  };
  const startup = env.QUIRE_STARTUP === 'plain' ? undefined : hook(programs);
  return { log, ...placesOf(env), startup, viewKeys: new ViewKeys() };
}

export function chosen({ notebooks }: Config, name: string | undefined): NotebookConfig {
  const names = Object.keys(notebooks);
  const only = name ?? (names.length === 1 ? names[0] : undefined);
  const notebook = only === undefined ? undefined : notebooks[only];
  if (notebook) return notebook;
  throw new AppError('invalid_input', `Choose one notebook with --notebook: ${names.join(', ')}`, {
    subject: name !== undefined ? `there is no "${name}"` : undefined,
  });
}

export type CommandTransport = 'http' | 'stdio';

export interface CommandInput {
  /** Undefined for a command without `transports`. */
  readonly transport?: CommandTransport;
  readonly asJson: boolean;
  readonly operands: readonly string[];
  /** Values of `extras`, by name. */
  readonly extras: Readonly<Record<string, unknown>>;
}

/** A command that reads settings: its spec has the flags, this the rest of its command line. */
export interface ProgramCommand {
  readonly name: string;
  /** The command that it is below. */
  readonly below?: string;
  readonly description: string;
  /** Printed when no folder is given. */
  readonly usage: string;
  readonly spec: CommandSpec;
  /** The settings over stdio, where they differ. */
  readonly stdioSpec?: CommandSpec;
  readonly argument?: readonly [name: string, description: string];
  /** Options that are no settings, in commander's syntax. */
  readonly extras?: readonly (readonly [flags: string, description: string])[];
  /** The values of `--transport`, the default first. */
  readonly transports?: readonly [CommandTransport, CommandTransport];
  readonly hasJson?: true;
  /** See `withUsualFile`. */
  readonly findsFile?: true;
  readonly run: (command: FolderCommand, input: CommandInput) => Promise<void>;
}
