/**
 * Where the note of a period is, and what it begins with, by the settings of the app that the notes are for: Obsidian's
 * core plugin and the plugins Periodic Notes and Calendar, Logseq, SilverBullet. Without settings, by their defaults.
 */
import { AppError } from '../../shared/errors.ts';
import { type NotePath, parseNotePath, stemOf } from '../path.ts';
import type { NoteEntry, SearchOptions } from '../searcher.ts';
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
import type { Period } from './period.ts';

export interface JournalNote {
  readonly path: NotePath;
  /** Of the file, without its extension. */
  readonly title: string;
  /** The note that a new one begins with, as the settings name it. */
  readonly template?: string;
  readonly syntax: 'obsidian' | 'silverbullet' | 'logseq';
  /** Of `{{date}}` in the template. */
  readonly dateFormat: string;
  readonly week: WeekRule;
}

interface JournalSettings {
  readonly folder: string;
  readonly format: string;
  readonly template?: string;
}

type Settings = Readonly<Record<string, unknown>>;

const DEFAULTS: Readonly<Record<Period, string>> = {
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
  const { folder, format, template } = plugin ?? (await coreSettings(read, period, warn));
  const week = await weekRule(read, warn);
  const name = formatMoment(date, format, week);
  const path = notePath([folder, `${name}.md`]);
  // The core plugin writes days in one form, Periodic Notes in that of the file name.
  return {
    path,
    title: stemOf(path),
    template,
    syntax: 'obsidian',
    dateFormat: plugin ? format : DEFAULTS[period],
    week,
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
  const own = data && (calendarSet(data)?.[period] ?? data[OLD_NAMES[period]]);
  if (!isObject(own) || own.enabled === false) return undefined;
  return settingsOf(own, period, textIn(own, 'templatePath') || textIn(own, 'template'));
}

/** From 1.0 on there are several sets of settings, one of them active. */
function calendarSet({ calendarSets, activeCalendarSet }: Settings): Settings | undefined {
  if (!Array.isArray(calendarSets)) return undefined;
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

function settingsOf(own: Settings, period: Period, template: string): JournalSettings {
  return {
    folder: textIn(own, 'folder'),
    format: textIn(own, 'format') || DEFAULTS[period],
    template: template === '' ? undefined : template,
  };
}

/** The plugin Calendar sets the first day of the week for all. */
async function weekRule(read: ReadSettings | undefined, warn: SearchOptions): Promise<WeekRule> {
  if (!(await isPluginOn(read, 'calendar', warn))) return ENGLISH_WEEK;
  const start = textIn(await settingsObject(read, '.obsidian/plugins/calendar/data.json', warn), 'weekStart');
  const dow = WEEKDAYS.findIndex((day) => day.toLowerCase() === start.toLowerCase());
  return dow < 0 ? ENGLISH_WEEK : { ...ENGLISH_WEEK, dow };
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
  const title = formatJava(date, textAt(':journal/page-title-format') || 'MMM do, yyyy');
  return {
    path,
    title,
    template: template || undefined,
    syntax: 'logseq',
    dateFormat: DEFAULTS.day,
    week: ENGLISH_WEEK,
  };
}

/** Without comments. */
function ednText(edn: string): string {
  return edn.replace(/"(?:[^"\\]|\\.)*"|;[^\n]*/g, (part) => (part.startsWith(';') ? '' : part));
}

const TODAY =
  /^([^${}]*)(?:\$\{date\.today\(\)\}|\$\{os\.date\(["']%Y-%m-%d["']\)\}|\{\{today\}\})([^${}]*)$/;
const WEEK_START = /^([^${}]*)\{\{weekStart\}\}([^${}]*)$/;

/** By a page template whose name is a day, else as SilverBullet's manual does: `Journal/2026-12-01`. */
export function spaceJournal(
  pages: readonly Pick<NoteEntry, 'path' | 'frontmatter' | 'frontmatterTags'>[],
  period: Period,
  date: Date,
): JournalNote {
  if (period !== 'day' && period !== 'week') throw onlyDays('SilverBullet');
  const pattern = period === 'day' ? TODAY : WEEK_START;
  const found = pages
    .filter(({ frontmatterTags }) =>
      frontmatterTags.some((tag) => /^(?:meta\/)?template(?:\/page)?$/.test(tag)),
    )
    .flatMap(({ path, frontmatter }) => {
      const name = pattern.exec(suggestedName(frontmatter));
      return name ? [{ path, before: name[1]!, after: name[2]! }] : [];
    })
    .sort((a, b) => rank(b) - rank(a))[0];
  if (!found && period === 'week') throw onlyDays('SilverBullet');
  const { before, after, path: template } = found ?? { before: 'Journal/', after: '', path: undefined };
  const path = notePath([`${before}${formatMoment(dayOf(period, date), 'YYYY-MM-DD')}${after}.md`]);
  const rest = { dateFormat: DEFAULTS.day, week: ENGLISH_WEEK };
  return { path, title: path.replace(/\.md$/, ''), template, syntax: 'silverbullet', ...rest };
}

const rank = ({ before }: { readonly before: string }) => (/journal|daily|day/i.test(before) ? 1 : 0);

/** Of version 2, or of version 1. */
function suggestedName(frontmatter: Settings): string {
  const { hooks } = frontmatter;
  const hook = frontmatter['hooks.newPage'] ?? (isObject(hooks) ? hooks.newPage : undefined);
  return textIn(frontmatter, 'suggestedName') || textIn(isObject(hook) ? hook : undefined, 'suggestedName');
}

function dayOf(period: Period, date: Date): Date {
  return period === 'day' ? date : new Date(date.getTime() - ((date.getUTCDay() + 6) % 7) * 86_400_000);
}

function notePath(parts: readonly string[]): NotePath {
  return parseNotePath(parts.filter((part) => part !== '').join('/'));
}

function onlyDays(app: string): AppError {
  return new AppError('unsupported', `${app} keeps notes of days here, and of no other periods`, {
    hint: 'Use period day.',
  });
}
