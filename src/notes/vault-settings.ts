/**
 * The settings files of note apps that Quire follows. They are hidden from the notebook: these are read, never shown,
 * and no other ones.
 */
import { AppError, isAppError } from '../shared/errors.ts';
import type { SearchOptions } from './searcher.ts';

export type SettingsFile =
  | '.obsidian/app.json'
  | '.obsidian/core-plugins.json'
  | '.obsidian/community-plugins.json'
  | '.obsidian/daily-notes.json'
  | '.obsidian/templates.json'
  | '.obsidian/plugins/periodic-notes/data.json'
  | '.obsidian/plugins/calendar/data.json'
  | '.obsidian/plugins/obsidian-tasks-plugin/data.json'
  | 'logseq/config.edn';

/** Undefined for a file that is not there. Throws for one that cannot be read. */
export type ReadSettings = (file: SettingsFile) => Promise<string | undefined>;

type Warn = Pick<SearchOptions, 'onWarning'>;

/** The text of a settings file; one that cannot be read is warned about, and counts as missing. */
export async function settingsText(
  read: ReadSettings | undefined,
  file: SettingsFile,
  { onWarning }: Warn,
): Promise<string | undefined> {
  try {
    return await read?.(file);
  } catch (error) {
    if (!isAppError(error)) throw error;
    onWarning?.(`${file} could not be read (${error.title}): defaults are used.`);
    return undefined;
  }
}

/** The object in a JSON file of settings, likewise. */
export async function settingsObject(
  read: ReadSettings | undefined,
  file: SettingsFile,
  warn: Warn,
): Promise<Readonly<Record<string, unknown>> | undefined> {
  const text = await settingsText(read, file, warn);
  if (text === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(text.replace(/^\uFEFF/, ''));
    if (isObject(value) || Array.isArray(value)) return value as Readonly<Record<string, unknown>>;
  } catch {
    // Said below, as for any other value.
  }
  warn.onWarning?.(`${file} is not valid: defaults are used.`);
  return undefined;
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function textIn(settings: Readonly<Record<string, unknown>> | undefined, key: string): string {
  const value = settings?.[key];
  return typeof value === 'string' ? value.trim() : '';
}

/** Whether Obsidian keeps its settings in this folder. */
export async function isObsidianVault(read: ReadSettings | undefined): Promise<boolean> {
  const files = ['.obsidian/app.json', '.obsidian/core-plugins.json', '.obsidian/daily-notes.json'] as const;
  for (const file of files) {
    const isThere = await read?.(file).then(
      (text) => text !== undefined,
      () => true,
    );
    if (isThere) return true;
  }
  return false;
}

/** False for a plugin that is installed and switched off. */
export async function isPluginOn(
  read: ReadSettings | undefined,
  plugin: string,
  warn: Warn,
): Promise<boolean> {
  const list: unknown = await settingsObject(read, '.obsidian/community-plugins.json', warn);
  return !Array.isArray(list) || list.includes(plugin);
}

export function unreadableSettings(file: SettingsFile, title: string): AppError {
  return new AppError('unsupported', title, { subject: file });
}
