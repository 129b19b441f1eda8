/** A command is data: a table of the flags and environment variables that fill its settings. */
import type { LogLevel, LogShape, LogThreshold } from '../../shared/log.ts';
import type { StoreKindName } from '../../stores/registry.ts';
import type { NotebookSettings } from '../schema.ts';

/** Names of log levels, in lower case. */
export type LogLevels = Readonly<Record<string, LogThreshold>>;

export const LOG_LEVELS: LogLevels = {
  debug: 'debug',
  info: 'info',
  warn: 'warn',
  error: 'error',
  silent: 'silent',
};

export interface CommandSpec {
  /** Fixed settings of the command. */
  readonly settings: Partial<NotebookSettings>;
  /** Defaults that flags, environment and file override. */
  readonly usual?: Readonly<Record<string, unknown>>;
  readonly options: readonly CommandFlag[];
  /** A way to start it with fewer settings, for a person who has not set all of them. */
  readonly shorterWay?: string;
  /** Serving beyond this machine over HTTP requires a public URL, whatever the authentication. */
  readonly needsPublicUrl?: true;
  /** References to unset variables are kept, because the command does not use these settings. */
  readonly keepsVariables?: true;
  /**
   * The command's own file, in the current folder or, with a leading dot, in the home folder. Flags and environment
   * override it.
   */
  readonly file?: {
    readonly name: string;
    /** Settings by the file's keys. */
    readonly keys: Readonly<Record<string, CommandFlag['setting']>>;
  };
  readonly log: {
    readonly env: string;
    readonly usual: LogLevel;
    /** Additional level names. Default: `LOG_LEVELS`. */
    readonly levels?: LogLevels;
    /** Default: messages. A log of events also has an event for the start. */
    readonly shape?: LogShape;
    /** Variable for the log format. Default: QUIRE_LOG_FORMAT. */
    readonly formatEnv?: string;
    /** Default: JSON. */
    readonly format?: 'text';
    /** Log stream over HTTP. Default: stdout. */
    readonly to?: 'stderr';
  };
}

export interface CommandFlag {
  /** A setting of a notebook, or `section.setting`. */
  readonly setting:
    | keyof NotebookSettings
    | `${'serve' | 'auth' | 'state' | 'gateway' | 'brain' | 'llm' | StoreKindName}.${string}`;
  /** In commander's syntax. */
  readonly flag: string;
  readonly env: string;
  readonly description: string;
  /** The command does not start without this setting. */
  readonly isNeeded?: true;
  /** A boolean setting that makes this one optional. */
  readonly neededUnless?: string;
  /** The value is a secret, better given by the environment. */
  readonly secret?: true;
  /** The flag may be repeated; the values add up. */
  readonly repeatable?: true;
  /** Parses the text of the variable or flag; a flag without a value is `true`. Default: the text as it is. */
  readonly parse?: (text: string) => unknown;
  /** Parses the flag where it holds a single value and the variable a list. */
  readonly parseFlag?: (text: string) => unknown;
}

/** Parsers pass on a text that they cannot parse, so that the schema refuses it by name. */
export const asIs = (text: string) => text;

/** A blank text counts as unset, so that a blank variable does not override the file. */
export const unlessBlank = (option: CommandFlag): CommandFlag => {
  const { parse = asIs } = option;
  return { ...option, parse: (text) => (text.trim() === '' ? undefined : parse(text.trim())) };
};

/** Splits at commas outside braces, which belong to globs such as `{a,b}`. */
export const list = (text: string) =>
  text
    .split(/,(?![^{]*\})/)
    .map((item) => item.trim())
    .filter((item) => item !== '');

/** Accepts only these words, so that a typing error is refused instead of being read as false. */
export const yesOrNo = (text: string): unknown => {
  const word = text.trim().toLowerCase();
  if (['1', 'true', 'yes', 'on'].includes(word)) return true;
  return ['0', 'false', 'no', 'off', ''].includes(word) ? false : text;
};

/** Parses `user:hash` pairs; a malformed pair is passed on with an empty hash, which the schema refuses. */
export const users = (text: string): unknown =>
  Object.fromEntries(
    list(text).map((pair) => {
      const colon = pair.indexOf(':');
      return colon < 0 ? [pair, ''] : [pair.slice(0, colon), pair.slice(colon + 1)];
    }),
  );

export const wholeNumber = (text: string): unknown => (/^\s*\d+\s*$/.test(text) ? Number(text) : text);

export const number = (text: string): unknown => (Number.isNaN(Number(text)) ? text : Number(text));

/** Parses `:8090`, `0.0.0.0:8090` or `8090`. */
export const portOf = (text: string): unknown => wholeNumber(text.slice(text.lastIndexOf(':') + 1));
export const hostOf = (text: string): string => {
  const host = text.includes(':') ? text.slice(0, text.lastIndexOf(':')) : '';
  return host === '' ? '0.0.0.0' : host.replace(/^\[|\]$/g, '');
};
