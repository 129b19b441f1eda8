/** A door is data: which flag and which environment variable fill which setting. */
import type { LogLevel, LogShape, LogThreshold } from '../../shared/log.ts';
import type { NotebookSettings } from '../schema.ts';

/** Words for levels of the log, in lower case. */
export type LogLevels = Readonly<Record<string, LogThreshold>>;

export const LOG_LEVELS: LogLevels = {
  debug: 'debug',
  info: 'info',
  warn: 'warn',
  error: 'error',
  silent: 'silent',
};

export interface CommandSpec {
  /** What this way in always means. */
  readonly settings: Partial<NotebookSettings>;
  /** What it means unless something else is said. */
  readonly usual?: Readonly<Record<string, unknown>>;
  readonly options: readonly CommandFlag[];
  /** Beyond this machine nothing is served over HTTP before its public address is said, whoever may call. */
  readonly needsPublicUrl?: true;
  /** Variables that are not set stay as they are written: what they stand for is not used by this way in. */
  readonly keepsVariables?: true;
  /** A file of its own, in the present folder or else with a dot in the home folder: below flags and environment. */
  readonly file?: {
    readonly name: string;
    /** Its keys, and the settings they are. */
    readonly keys: Readonly<Record<string, CommandFlag['setting']>>;
  };
  readonly log: {
    readonly env: string;
    readonly usual: LogLevel;
    /** Further words for levels; `LOG_LEVELS` unless something else is said. */
    readonly levels?: LogLevels;
    /** Messages unless something else is said; a log of events also tells how the start went. */
    readonly shape?: LogShape;
    /** For the format; QUIRE_LOG_FORMAT unless something else is said. */
    readonly formatEnv?: string;
    /** JSON unless something else is said. */
    readonly format?: 'text';
    /** Over HTTP; stdout unless something else is said. */
    readonly to?: 'stderr';
  };
}

export interface CommandFlag {
  /** Of a notebook; or with the part of the configuration it is in before a dot. */
  readonly setting:
    | keyof NotebookSettings
    | `${'serve' | 'auth' | 'state' | 'gateway' | 'brain' | 'llm' | 'silverbullet' | 'trilium'}.${string}`;
  /** As commander reads it. */
  readonly flag: string;
  readonly env: string;
  readonly description: string;
  /** Nothing is served without it, wherever it is said. */
  readonly isNeeded?: true;
  /** But not when this setting is on. */
  readonly neededUnless?: string;
  /** The value is a secret; it is better given by the environment. */
  readonly secret?: true;
  /** The flag may be given several times; each time adds. */
  readonly repeatable?: true;
  /** Text to the setting's value; flags that stand alone give `true`. */
  readonly parse: (text: string) => unknown;
  /** For the flag, where its text is one value and that of the variable several. */
  readonly parseFlag?: (text: string) => unknown;
}

/** Text as flags and variables give it, made into what a setting takes. What it cannot make anything of is left for the schema to refuse by name. */

export const asIs = (text: string) => text;

/** An empty variable is none. */
export const unlessBlank = (text: string) => (text.trim() === '' ? undefined : text.trim());

/** Commas inside `{a,b}` belong to the glob. */
export const list = (text: string) =>
  text
    .split(/,(?![^{]*\})/)
    .map((item) => item.trim())
    .filter((item) => item !== '');

/** Only these words, so that a mistyped value is an error and not a silent "no". */
export const yesOrNo = (text: string): unknown => {
  const word = text.trim().toLowerCase();
  if (['1', 'true', 'yes', 'on'].includes(word)) return true;
  return ['0', 'false', 'no', 'off', ''].includes(word) ? false : text;
};

/** `user:hash` pairs; a pair that is none is left for the schema to refuse by name. */
export const users = (text: string): unknown =>
  Object.fromEntries(
    list(text).map((pair) => {
      const colon = pair.indexOf(':');
      return colon < 0 ? [pair, ''] : [pair.slice(0, colon), pair.slice(colon + 1)];
    }),
  );

/** What is not a number is left for the schema to refuse by name. */
export const wholeNumber = (text: string): unknown => (/^\s*\d+\s*$/.test(text) ? Number(text) : text);

/** The same for numbers of any kind; a blank is none. */
export const number = (text: string): unknown => {
  if (text.trim() === '') return undefined;
  return Number.isNaN(Number(text)) ? text : Number(text);
};

/** `:8090`, `0.0.0.0:8090` or `8090`; what is none of these is left for the schema to refuse by name. */
export const portOf = (text: string): unknown => wholeNumber(text.slice(text.lastIndexOf(':') + 1));
export const hostOf = (text: string): string => {
  const host = text.includes(':') ? text.slice(0, text.lastIndexOf(':')) : '';
  return host === '' ? '0.0.0.0' : host.replace(/^\[|\]$/g, '');
};
