/** A door is data: which flag and which environment variable fill which setting. */
import type { LogLevel } from '../shared/log.ts';
import type { NotebookSettings } from './schema.ts';

export interface Door {
  /** What this way in always means. */
  readonly settings: Partial<NotebookSettings>;
  readonly options: readonly DoorOption[];
  readonly log: { readonly env: string; readonly usual: LogLevel };
}

export interface DoorOption {
  readonly setting: keyof NotebookSettings;
  /** As commander reads it. */
  readonly flag: string;
  readonly env: string;
  readonly description: string;
  /** The flag may be given several times; each time adds. */
  readonly repeatable?: true;
  /** Text to the setting's value; flags that stand alone give `true`. */
  readonly parse: (text: string) => unknown;
}

/** Commas inside `{a,b}` belong to the glob. */
const list = (text: string) =>
  text
    .split(/,(?![^{]*\})/)
    .map((item) => item.trim())
    .filter((item) => item !== '');

/** Only these words, so that a mistyped value is an error and not a silent "no". */
const yesOrNo = (text: string): unknown => {
  const word = text.trim().toLowerCase();
  if (['1', 'true', 'yes', 'on'].includes(word)) return true;
  return ['0', 'false', 'no', 'off', ''].includes(word) ? false : text;
};

/** What is not a number is left for the schema to refuse by name. */
const wholeNumber = (text: string): unknown => (/^\s*\d+\s*$/.test(text) ? Number(text) : text);

const ignore: DoorOption = {
  setting: 'ignore',
  flag: '--ignore <glob>',
  env: 'QUIRE_IGNORE',
  description: 'paths to hide, e.g. "drafts/**"; may be given several times',
  repeatable: true,
  parse: list,
};

const readOnly: DoorOption = {
  setting: 'readOnly',
  flag: '--read-only',
  env: 'QUIRE_READ_ONLY',
  description: 'offer no tool that changes notes',
  parse: yesOrNo,
};

export const notebookDoor: Door = {
  settings: {},
  log: { env: 'QUIRE_LOG', usual: 'warn' },
  options: [
    {
      setting: 'extensions',
      flag: '--extensions <list>',
      env: 'QUIRE_EXTENSIONS',
      description: 'file extensions to serve, with commas between (default: .md,.markdown,.txt)',
      parse: list,
    },
    ignore,
    readOnly,
    {
      setting: 'noDelete',
      flag: '--no-delete',
      env: 'QUIRE_NO_DELETE',
      description: 'offer no tool that deletes or replaces notes',
      parse: yesOrNo,
    },
    {
      setting: 'permanentDelete',
      flag: '--permanent-delete',
      env: 'QUIRE_PERMANENT_DELETE',
      description: 'delete for good instead of moving to .trash in the notebook',
      parse: yesOrNo,
    },
  ],
};

/** No tool of the vault deletes, so there is no switch against it. */
export const vaultDoor: Door = {
  settings: { tools: 'vault' },
  log: { env: 'LOG_LEVEL', usual: 'info' },
  options: [
    {
      setting: 'folder',
      flag: '--vault-path <folder>',
      env: 'VAULT_PATH',
      description: 'the vault: a folder of notes and other files',
      parse: (text) => text,
    },
    {
      setting: 'readThreshold',
      flag: '--read-threshold <lines>',
      env: 'READ_THRESHOLD',
      description: 'lines shown of a longer file when no range is asked for (default: 200)',
      parse: wholeNumber,
    },
    ignore,
    readOnly,
  ],
};
