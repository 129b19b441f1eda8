/**
 * Where the note of a day is in a SilverBullet space, and what it begins with: by the settings of its journal on the
 * page CONFIG (from 2.8 on), else by a page template whose name is a day, else as the journal does without settings.
 */
import type { NotePath } from '../path.ts';
import type { NoteEntry } from '../searcher.ts';
import { isObject, textIn } from '../vault-settings.ts';
import { formatMoment } from './date-format.ts';
import { DEFAULTS, type JournalNote, notePath, onlyDays, PLAIN } from './journal.ts';
import { type Period, startOf } from './period.ts';

type Page = Pick<NoteEntry, 'path' | 'frontmatter' | 'frontmatterTags'>;
type Settings = Readonly<Record<string, unknown>>;

export const CONFIG_PAGE = 'CONFIG.md' as NotePath;
const JOURNAL_TEMPLATE = 'Library/Std/Journal/Template';
const TODAY =
  /^([^${}]*)(?:\$\{date\.today\(\)\}|\$\{os\.date\(["']%Y-%m-%d["']\)\}|\{\{today\}\})([^${}]*)$/;
const WEEK_START = /^([^${}]*)\{\{weekStart\}\}([^${}]*)$/;

/** `config` is the text of the page CONFIG. */
export function spaceJournal(
  pages: readonly Page[],
  config: string,
  period: Period,
  date: Date,
): JournalNote {
  if (period !== 'day' && period !== 'week') throw onlyDays('SilverBullet');
  const set = journalSettings(config);
  const isSet = set.prefix !== undefined || set.template !== undefined;
  const own = period === 'day' && isSet ? undefined : pageTemplate(pages, period);
  if (!own && period === 'week') throw onlyDays('SilverBullet');
  const { before, after } = own ?? { before: set.prefix ?? 'Journal/', after: '' };
  const day = period === 'week' ? startOf(date, 'week', 1) : date;
  const path = notePath([`${before}${formatMoment(day, DEFAULTS.day)}${after}.md`]);
  const name = `${set.template ?? JOURNAL_TEMPLATE}.md`;
  const page = own?.page ?? pages.find((one) => one.path === name);
  const template = page?.path ?? (set.template === undefined ? undefined : name);
  const frontmatter = textIn(page?.frontmatter, 'frontmatter').replace(
    /\$\{config\.get\(["']journal\.tag["'](?:,[^()]*)?\)\}/g,
    () => set.tag ?? 'journal',
  );
  const title = path.replace(/\.md$/, '');
  return { ...PLAIN, path, title, template, frontmatter, syntax: 'silverbullet', date };
}

function pageTemplate(pages: readonly Page[], period: 'day' | 'week') {
  const pattern = period === 'day' ? TODAY : WEEK_START;
  return pages
    .filter(({ frontmatterTags }) =>
      frontmatterTags.some((tag) => /^(?:meta\/)?template(?:\/page)?$/.test(tag)),
    )
    .flatMap((page) => {
      const name = pattern.exec(suggestedName(page.frontmatter));
      return name ? [{ page, before: name[1]!, after: name[2]! }] : [];
    })
    .sort((a, b) => rank(b) - rank(a))[0];
}

const rank = ({ before }: { readonly before: string }) => (/journal|daily|day/i.test(before) ? 1 : 0);

/** Of version 2, or of version 1. */
function suggestedName(frontmatter: Settings): string {
  const { hooks } = frontmatter;
  const hook = frontmatter['hooks.newPage'] ?? (isObject(hooks) ? hooks.newPage : undefined);
  return textIn(frontmatter, 'suggestedName') || textIn(isObject(hook) ? hook : undefined, 'suggestedName');
}

type JournalKey = 'prefix' | 'template' | 'tag';

const SPACE_LUA = /^```+[ \t]*space-lua[^\n]*\n([\s\S]*?)^```/gm;
/** A text in quotes, which is kept, or a comment. */
const LUA_TEXT_OR_COMMENT = /("(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')|--\[\[[\s\S]*?\]\]|--[^\n]*/g;
const TEXT = String.raw`(?:"((?:[^"\\\n]|\\.)*)"|'((?:[^'\\\n]|\\.)*)')`;
const ONE_SETTING = new RegExp(
  String.raw`config\.set\s*\(\s*["']journal\.(prefix|template|tag)["']\s*,\s*${TEXT}`,
  'g',
);
const ALL_SETTINGS = /(?:config\.set\s*\(\s*["']journal["']\s*,|\bjournal\s*=)\s*\{([^{}]*)\}/g;
const FIELD = new RegExp(String.raw`\b(prefix|template|tag)\s*=\s*${TEXT}`, 'g');

/** `config.set("journal.prefix", "Diary/")`, or the same as a table; of several the last. No other Lua is understood. */
function journalSettings(config: string): Partial<Record<JournalKey, string>> {
  const lua = [...config.matchAll(SPACE_LUA)]
    .map(([, code]) => code!.replace(LUA_TEXT_OR_COMMENT, (_, text?: string) => text ?? ' '))
    .join('\n');
  const tables = [...lua.matchAll(ALL_SETTINGS)].flatMap((table) =>
    [...table[1]!.matchAll(FIELD)].map((field) => ({ at: table.index, field })),
  );
  const single = [...lua.matchAll(ONE_SETTING)].map((field) => ({ at: field.index, field }));
  const settings: Partial<Record<JournalKey, string>> = {};
  for (const { field } of [...tables, ...single].sort((a, b) => a.at - b.at)) {
    const [, key, double, quoted] = field;
    settings[key as JournalKey] = (double ?? quoted ?? '').replace(/\\(.)/g, '$1');
  }
  return settings;
}
