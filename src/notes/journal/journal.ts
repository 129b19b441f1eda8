/**
 * Where the note of a period is in a folder, and what it begins with, by the settings of the app that the notes are
 * for: Obsidian's core plugins and the plugins Periodic Notes and Calendar, or Logseq. Without settings, by defaults.
 */
import { AppError } from '../../shared/errors.ts';
import { type NotePath, parseNotePath, stemOf } from '../path.ts';
import type { SearchOptions } from '../searcher.ts';
import {
  isObject,
  isObsidianVault,
  isPluginOn,
  type ReadSettings,
  settingsObject,
  settingsText,
  textIn,
} from '../vault-settings.ts';
import { ENGLISH_WEEK, formatJava, formatMoment, WEEKDAYS, type WeekRule } from './date-format.ts';
import { type Period, startOf } from './period.ts';

export interface JournalNote {
  readonly path: NotePath;
  /** Of the file, without its extension. */
  readonly title: string;
  /** The note that a new one begins with, as the settings name it. */
  readonly template?: string;
  /** What the new note has as frontmatter, where the template's own is about the template. */
  readonly frontmatter?: string;
  readonly syntax: 'obsidian' | 'silverbullet' | 'logseq';
  /** The day that the template is filled in with, at the time of day of now. */
  readonly date: Date;
  /** Of `{{date}}` and `{{time}}` in the template. */
  readonly dateFormat: string;
  readonly timeFormat: string;
  readonly week: WeekRule;
}

interface JournalSettings {
  readonly folder: string;
  readonly format: string;
  readonly template?: string;
  /** Whether the names of longer periods are those of their first day. */
  readonly fromStart: boolean;
}

type Settings = Readonly<Record<string, unknown>>;

export const DEFAULTS: Readonly<Record<Period, string>> = {
  day: 'YYYY-MM-DD',
  week: 'gggg-[W]ww',
  month: 'YYYY-MM',
  quarter: 'YYYY-[Q]Q',
  year: 'YYYY',
};
const OLD_NAMES: Readonly<Record<Period, string>> = {
  day: 'daily',
  week: 'weekly',
  month: 'monthly',
  quarter: 'quarterly',
  year: 'yearly',
};

/** Of apps whose templates have no formats of their own. */
export const PLAIN = { dateFormat: DEFAULTS.day, timeFormat: 'HH:mm', week: ENGLISH_WEEK } as const;

/** Of a folder: Obsidian's, unless only Logseq has settings there. */
export async function folderJournal(
  read: ReadSettings | undefined,
  period: Period,
  date: Date,
  warn: SearchOptions,
): Promise<JournalNote> {
  const edn = await settingsText(read, 'logseq/config.edn', warn);
  if (edn !== undefined && !(await isObsidianVault(read))) return logseqJournal(edn, period, date, warn);
  const plugin = await pluginSettings(read, period, warn);
  const { folder, format, template, fromStart } = plugin ?? (await coreSettings(read, period, warn));
  const week = await weekRule(read, warn);
  // Who names weeks by ISO 8601 begins them on Monday, whatever the language of the app, which no file says.
  const dow = week === ENGLISH_WEEK && /[WG]/.test(format.replace(/\[[^\]]*\]/g, '')) ? 1 : week.dow;
  const day = fromStart ? startOf(date, period, dow) : date;
  const name = formatMoment(day, format, week);
  const path = notePath([folder, name.endsWith('.md') ? name : `${name}.md`]);
  // Periodic Notes writes dates in the form of the file name.
  const formats = plugin ? { dateFormat: format, timeFormat: 'HH:mm' } : await templateFormats(read, warn);
  return { path, title: stemOf(path), template, syntax: 'obsidian', date: day, week, ...formats };
}

/** Of the core plugin Templates, which fills in the templates of daily notes too. */
async function templateFormats(read: ReadSettings | undefined, warn: SearchOptions) {
  const own = await settingsObject(read, '.obsidian/templates.json', warn);
  return {
    dateFormat: textIn(own, 'dateFormat') || DEFAULTS.day,
    timeFormat: textIn(own, 'timeFormat') || 'HH:mm',
  };
}

/** Of the plugin Periodic Notes; undefined where it is off, or does not keep notes of this period. */
async function pluginSettings(
  read: ReadSettings | undefined,
  period: Period,
  warn: SearchOptions,
): Promise<JournalSettings | undefined> {
  if (!(await isPluginOn(read, 'periodic-notes', warn))) return undefined;
  const data = await settingsObject(read, '.obsidian/plugins/periodic-notes/data.json', warn);
  if (!data) return undefined;
  const set = calendarSet(data);
  const own = set ? set[period] : data[OLD_NAMES[period]];
  // A period that was never switched on has no `enabled`.
  if (!isObject(own) || own.enabled !== true) return undefined;
  return settingsOf(own, period, textIn(own, set ? 'templatePath' : 'template'), set === undefined);
}

/** From 1.0 on there are several sets of settings, one of them active; those of 0.x stay in the file unused. */
function calendarSet({ calendarSets, activeCalendarSet }: Settings): Settings | undefined {
  if (!Array.isArray(calendarSets) || calendarSets.length === 0) return undefined;
  const sets = calendarSets.filter(isObject);
  return sets.find(({ id }) => id === activeCalendarSet) ?? sets[0];
}

async function coreSettings(
  read: ReadSettings | undefined,
  period: Period,
  warn: SearchOptions,
): Promise<JournalSettings> {
  if (period === 'day') {
    const own = (await settingsObject(read, '.obsidian/daily-notes.json', warn)) ?? {};
    return settingsOf(own, period, textIn(own, 'template'));
  }
  if (period === 'week' && (await isPluginOn(read, 'calendar', warn))) {
    const data = await settingsObject(read, '.obsidian/plugins/calendar/data.json', warn);
    const own = { format: data?.weeklyNoteFormat, folder: data?.weeklyNoteFolder };
    return settingsOf(own, period, textIn(data, 'weeklyNoteTemplate'));
  }
  return settingsOf({}, period, '');
}

function settingsOf(
  own: Settings,
  period: Period,
  template: string,
  fromStart: boolean = true,
): JournalSettings {
  return {
    folder: textIn(own, 'folder'),
    format: textIn(own, 'format') || DEFAULTS[period],
    template: template === '' ? undefined : template,
    fromStart,
  };
}

/** The plugins Calendar and, from 1.0 on, Periodic Notes set the first day of the week for all. */
async function weekRule(read: ReadSettings | undefined, warn: SearchOptions): Promise<WeekRule> {
  for (const plugin of ['calendar', 'periodic-notes'] as const) {
    if (!(await isPluginOn(read, plugin, warn))) continue;
    const data = await settingsObject(read, `.obsidian/plugins/${plugin}/data.json`, warn);
    const start = textIn(data, 'weekStart').toLowerCase();
    const dow = WEEKDAYS.findIndex((day) => day.toLowerCase() === start);
    if (dow >= 0) return { ...ENGLISH_WEEK, dow };
  }
  return ENGLISH_WEEK;
}

function logseqJournal(edn: string, period: Period, date: Date, warn: SearchOptions): JournalNote {
  if (period !== 'day') throw onlyDays('Logseq');
  const settings = ednText(edn);
  if (!/^\s*\{[\s\S]*\}\s*$/.test(settings))
    warn.onWarning?.('logseq/config.edn is not valid: defaults are used.');
  const textAt = (key: string) =>
    new RegExp(`${key}\\s+"((?:[^"\\\\]|\\\\.)*)"`).exec(settings)?.[1]?.trim() ?? '';
  if (/:preferred-format\s+(?::org|"org")/i.test(settings))
    throw new AppError('unsupported', 'The journals of this Logseq graph are Org files', {
      hint: 'Only markdown journals are read and written here.',
    });
  const template = /:default-templates\s+\{[^}]*:journals\s+"([^"]*)"/.exec(settings)?.[1]?.trim();
  const name = formatJava(date, textAt(':journal/file-name-format') || 'yyyy_MM_dd');
  const path = notePath([textAt(':journals-directory') || 'journals', `${name}.md`]);
  return {
    ...PLAIN,
    path,
    title: stemOf(path),
    template: template || undefined,
    syntax: 'logseq',
    date,
  };
}

/** Without comments, and without forms that are commented out with `#_`. */
function ednText(edn: string): string {
  return edn.replace(/"(?:[^"\\]|\\.)*"|;[^\n]*|#_\s*(?:"(?:[^"\\]|\\.)*"|[^\s"()[\]{}]+)/g, (part) =>
    part.startsWith('"') ? part : '',
  );
}

export function notePath(parts: readonly string[]): NotePath {
  return parseNotePath(parts.filter((part) => part !== '').join('/'));
}

export function onlyDays(app: string): AppError {
  return new AppError('unsupported', `${app} keeps notes of days here, and of no other periods`, {
    hint: 'Use period day.',
  });
}
