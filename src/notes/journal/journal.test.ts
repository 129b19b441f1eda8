import { describe, expect, test } from 'vitest';
import type { NotePath } from '../path.ts';
import type { ReadSettings, SettingsFile } from '../vault-settings.ts';
import { formatJava, formatMoment } from './date-format.ts';
import { folderJournal } from './journal.ts';
import { dateMeant, type Period } from './period.ts';
import { spaceJournal } from './space-journal.ts';
import { fillTemplate } from './template.ts';

const at = (text: string) => new Date(`${text}Z`);
const DATE = at('2026-11-18T09:05:07');

test.each([
  ['YYYY-MM-DD', '2026-11-18'],
  ['YYYY/MM-MMMM/YYYY-MM-DD-dddd', '2026/11-November/2026-11-18-Wednesday'],
  ['ddd, MMM Do YYYY', 'Wed, Nov 18th 2026'],
  ['gggg-[W]ww', '2026-W47'],
  ['GGGG-[W]WW W', '2026-W47 47'],
  ['YYYY-[Q]Q', '2026-Q4'],
  ['[Daily note] D.M.YY', 'Daily note 18.11.26'],
  ['DDDD DDD E e d dd', '322 322 3 3 3 We'],
  ['HH:mm:ss h:mm A', '09:05:07 9:05 AM'],
  ['\\YYYYY', 'Y2026'],
])('Moment writes %s as %s', (format, text) => {
  expect(formatMoment(DATE, format)).toBe(text);
});

test.each(['LL', 'YYYY-MM-DD z', 'X', 'NN'])('%s has a token that is named as unknown', (format) => {
  expect(() => formatMoment(DATE, format)).toThrow(/The token \w+ of a date format is not known here/);
});

test.each([
  // As Moment counts them with its English locale, and by ISO 8601.
  ['2026-01-01T00:00:00', '2026-01', '2026-01'],
  ['2027-01-01T00:00:00', '2027-01', '2026-53'],
  ['2022-01-01T00:00:00', '2022-01', '2021-52'],
  ['2023-01-01T00:00:00', '2023-01', '2022-52'],
  ['2020-12-31T00:00:00', '2021-01', '2020-53'],
  ['2024-12-30T00:00:00', '2025-01', '2025-01'],
])('weeks at the turn of a year: %s', (day, english, iso) => {
  expect(formatMoment(at(day), 'gggg-ww')).toBe(english);
  expect(formatMoment(at(day), 'GGGG-WW')).toBe(iso);
});

test.each([
  ['yyyy_MM_dd', '2026_11_18'],
  ['MMM do, yyyy', 'Nov 18th, 2026'],
  ["EEEE, dd.MM.yyyy 'at' HH", 'Wednesday, 18.11.2026 at 09'],
])('Logseq writes %s as %s', (format, text) => {
  expect(formatJava(DATE, format)).toBe(text);
});

test.each<[string, Period, string]>([
  ['today', 'week', '2026-11-18'],
  ['yesterday', 'week', '2026-11-17'],
  ['tomorrow', 'day', '2026-11-19'],
  ['-1', 'week', '2026-11-11'],
  ['+1', 'month', '2026-12-18'],
  ['1', 'quarter', '2027-02-18'],
  ['-1', 'year', '2025-11-18'],
  ['2024-02-29', 'day', '2024-02-29'],
])('%s of a %s', (word, period, day) => {
  expect(formatMoment(dateMeant(word, period, DATE), 'YYYY-MM-DD')).toBe(day);
});

test('a month from the 31st is its last day', () => {
  const date = dateMeant('+1', 'month', at('2026-01-31T10:00:00'));
  expect(formatMoment(date, 'YYYY-MM-DD HH:mm')).toBe('2026-02-28 10:00');
});

const settings =
  (files: Partial<Record<SettingsFile, unknown>>): ReadSettings =>
  async (file) => {
    const content = files[file];
    return content === undefined || typeof content === 'string' ? content : JSON.stringify(content);
  };

async function journalOf(files: Partial<Record<SettingsFile, unknown>>, period: Period, date = DATE) {
  const warnings: string[] = [];
  const journal = await folderJournal(settings(files), period, date, {
    onWarning: (warning) => warnings.push(warning),
  });
  return { path: journal.path as string, template: journal.template, warnings };
}

/** As Periodic Notes 0.0.x writes them; a period that nobody switched on has no `enabled`. */
const PERIODIC_0 = {
  showGettingStartedBanner: false,
  hasMigratedDailyNoteSettings: true,
  hasMigratedWeeklyNoteSettings: true,
  daily: { format: '', template: 'Templates/Day.md', folder: 'Journal', enabled: true },
  weekly: { format: 'GGGG-[KW]WW', template: '', folder: 'Journal/Weeks/', enabled: true },
  monthly: { format: 'YYYY', template: '', folder: 'M', enabled: false },
  quarterly: { format: 'YYYY', template: '', folder: 'Q' },
};
/** As Periodic Notes 1.0.0 does, with those of 0.0.x still in the file. */
const PERIODIC_1 = {
  ...PERIODIC_0,
  installedVersion: '1.0.0-beta3',
  activeCalendarSet: 'Work',
  enableTimelineComplication: true,
  localeOverride: 'system-default',
  weekStart: 'locale',
  calendarSets: [
    { id: 'Default', ctime: '2024-01-01T00:00:00+01:00', day: { enabled: true, format: 'DD' } },
    {
      id: 'Work',
      ctime: '2024-01-01T00:00:00+01:00',
      day: {
        enabled: true,
        openAtStartup: false,
        format: 'YYYY/MM/YYYY-MM-DD',
        folder: 'Log',
        templatePath: 'T/Day.md',
      },
      week: { enabled: false, openAtStartup: false, format: '', folder: 'W', templatePath: '' },
      quarter: { enabled: true, openAtStartup: false, format: '', folder: 'Q' },
    },
  ],
};

describe("a folder's notes are where its app keeps them", () => {
  const DAILY = {
    '.obsidian/daily-notes.json': { folder: 'Days', format: 'DD-MM-YYYY', template: 'T/Daily' },
  };
  const V0 = { '.obsidian/plugins/periodic-notes/data.json': PERIODIC_0 };
  const V1 = { '.obsidian/plugins/periodic-notes/data.json': PERIODIC_1 };

  test.each<[Partial<Record<SettingsFile, unknown>>, Period, string, string?]>([
    [{}, 'day', '2026-11-18.md'],
    [{}, 'week', '2026-W47.md'],
    [{}, 'quarter', '2026-Q4.md'],
    [{ '.obsidian/daily-notes.json': {} }, 'day', '2026-11-18.md'],
    [{ '.obsidian/daily-notes.json': { autorun: true, folder: '/' } }, 'day', '2026-11-18.md'],
    [DAILY, 'day', 'Days/18-11-2026.md', 'T/Daily'],
    [{ ...DAILY, ...V0 }, 'day', 'Journal/2026-11-18.md', 'Templates/Day.md'],
    [V0, 'week', 'Journal/Weeks/2026-KW47.md'],
    [V0, 'month', '2026-11.md'],
    [V0, 'quarter', '2026-Q4.md'],
    [V1, 'day', 'Log/2026/11/2026-11-18.md', 'T/Day.md'],
    [V1, 'quarter', 'Q/2026-Q4.md'],
    [V1, 'week', '2026-W47.md'],
    [V1, 'year', '2026.md'],
    [
      { ...DAILY, ...V1, '.obsidian/community-plugins.json': ['dataview'] },
      'day',
      'Days/18-11-2026.md',
      'T/Daily',
    ],
    [
      { ...DAILY, ...V1, '.obsidian/community-plugins.json': ['periodic-notes'] },
      'day',
      'Log/2026/11/2026-11-18.md',
      'T/Day.md',
    ],
    [
      {
        '.obsidian/plugins/calendar/data.json': {
          weekStart: 'monday',
          weeklyNoteFormat: '',
          weeklyNoteFolder: 'W',
        },
      },
      'week',
      'W/2026-W47.md',
    ],
    [{ 'logseq/config.edn': '{:meta/version 1}' }, 'day', 'journals/2026_11_18.md'],
    [
      {
        'logseq/config.edn':
          ';; comment :journals-directory "no"\n{:journal/page-title-format "yyyy-MM-dd"\n :journal/file-name-format "yyyy-MM-dd" ; :x\n :journals-directory "Tage"\n :default-templates {:journals "Daily"}}',
      },
      'day',
      'Tage/2026-11-18.md',
      'Daily',
    ],
    [{ 'logseq/config.edn': '{}', ...DAILY }, 'day', 'Days/18-11-2026.md', 'T/Daily'],
  ])('%j %s', async (files, period, path, template) => {
    expect(await journalOf(files, period)).toEqual({ path, template, warnings: [] });
  });

  test.each<[string, Partial<Record<SettingsFile, unknown>>, Period, string, string?]>([
    [
      'Obsidian 0.x, on one line',
      {
        '.obsidian/daily-notes.json':
          '{"template":"tpl/Day log","folder":"Slip Box","format":"[Daily log] MM-DD-YYYY"}',
      },
      'day',
      'Slip Box/Daily log 11-18-2026.md',
      'tpl/Day log',
    ],
    [
      'Obsidian 1.x: only what differs from the default; a folder from the root',
      { '.obsidian/daily-notes.json': '{\n  "folder": "/daily"\n}' },
      'day',
      'daily/2026-11-18.md',
    ],
    [
      'Obsidian 1.x: letters behind backslashes, a number before the name of the folder',
      {
        '.obsidian/daily-notes.json':
          '{\n  "folder": "02. Log",\n  "format": "YYYY-MM-DD dddd \\\\L\\\\o\\\\g",\n  "autorun": true\n}',
      },
      'day',
      '02. Log/2026-11-18 Wednesday Log.md',
    ],
    [
      'Obsidian 1.x, saved by an editor of Windows: nested folders, a slash at the end, other scripts',
      {
        '.obsidian/daily-notes.json':
          '\uFEFF{\r\n  "folder": "日记/",\r\n  "format": "YYYY/MM-MMMM/YYYY年M月D日",\r\n  "template": "模板/日常"\r\n}\r\n',
        '.obsidian/core-plugins.json': '["file-explorer","daily-notes"]',
      },
      'day',
      '日记/2026/11-November/2026年11月18日.md',
      '模板/日常',
    ],
    [
      'Obsidian 1.9: core plugins as an object; the ending of the file in the format',
      {
        '.obsidian/daily-notes.json': { format: 'YYYY-MM-DD[.md]', folder: '' },
        '.obsidian/core-plugins.json': { 'daily-notes': true, templates: true },
      },
      'day',
      '2026-11-18.md',
    ],
    [
      'Periodic Notes 0.0.17: the day is not its own, so it is the core plugin’s',
      {
        '.obsidian/daily-notes.json': { folder: 'Core' },
        '.obsidian/plugins/periodic-notes/data.json': {
          daily: { format: '', template: '', folder: '' },
          monthly: { format: 'TR MM-YYYY', template: '', folder: '03 - Tasks & Notes', enabled: true },
        },
        '.obsidian/community-plugins.json': ['calendar', 'periodic-notes'],
      },
      'day',
      'Core/2026-11-18.md',
    ],
    [
      'Periodic Notes 0.0.17: letters that are no tokens',
      {
        '.obsidian/plugins/periodic-notes/data.json': {
          monthly: { format: 'TR MM-YYYY', template: '', folder: '03 - Tasks & Notes', enabled: true },
        },
      },
      'month',
      '03 - Tasks & Notes/TR 11-2026.md',
    ],
    [
      'Periodic Notes 0.0.17: a week that is off is the one of Calendar 1.5',
      {
        '.obsidian/plugins/periodic-notes/data.json': { weekly: { folder: 'Off', enabled: false } },
        '.obsidian/plugins/calendar/data.json': {
          shouldConfirmBeforeCreate: true,
          weekStart: 'locale',
          wordsPerDot: 250,
          showWeeklyNote: true,
          weeklyNoteFormat: 'YYYY/[W]ww',
          weeklyNoteTemplate: 'Templates/Week',
          weeklyNoteFolder: 'Weeks',
          localeOverride: 'system-default',
        },
      },
      'week',
      'Weeks/2026/W47.md',
      'Templates/Week',
    ],
    [
      'Logseq 0.6: every key with its comment, titles of its own',
      {
        'logseq/config.edn':
          '{:meta/version 1\n\n ;; Currently, we support either "Markdown" or "Org".\n ;; :preferred-format ""\n :preferred-workflow :now\n :hidden []\n :default-templates\n {:journals ""}\n ;; if not specified, in `journals`\n ;; :journals-directory "your-directory"\n :macros {"poem" "Rose; is $1"}\n :journal/page-title-format "yyyy年MM月dd日"\n }\n',
      },
      'day',
      'journals/2026_11_18.md',
    ],
    [
      'Logseq 0.10: names of files of its own, journals off, forms commented out',
      {
        'logseq/config.edn':
          '\uFEFF{:meta/version 1\r\n :preferred-format :markdown\r\n :journal/page-title-format "EEE do, MMM yyyy"\r\n :journal/file-name-format "yyyy-MM-dd EEE" ; not retroactive\r\n #_:journals-directory #_"old"\r\n :journals-directory "Log book/"\r\n :feature/enable-journals? false\r\n :default-templates {:journals "Tag"}\r\n :default-queries {:journals [{:title "NOW" :query [:find (pull ?h [*])]}]}}\r\n',
      },
      'day',
      'Log book/2026-11-18 Wed.md',
      'Tag',
    ],
  ])('%s', async (_, files, period, path, template) => {
    expect(await journalOf(files, period)).toEqual({ path, template, warnings: [] });
  });

  test('a week at the turn of the year has the name of its first day, from 1.0 on of the day itself', async () => {
    const own = { format: 'YYYY-MM-DD', folder: '', enabled: true };
    const old = { '.obsidian/plugins/periodic-notes/data.json': { weekly: own } };
    const sets = [{ id: 'Default', week: own }];
    const data = { activeCalendarSet: 'Default', calendarSets: sets, weekStart: 'monday' };
    const newer = { '.obsidian/plugins/periodic-notes/data.json': data };
    const date = at('2027-01-01T10:00:00');
    expect((await journalOf(old, 'week', date)).path).toBe('2026-12-27.md');
    const monday = { ...old, '.obsidian/plugins/calendar/data.json': { weekStart: 'monday' } };
    expect((await journalOf(monday, 'week', date)).path).toBe('2026-12-28.md');
    expect((await journalOf(newer, 'week', date)).path).toBe('2027-01-01.md');
    const iso = { weekly: { ...own, format: 'GGGG-[W]WW' } };
    const isoWeek = await journalOf({ '.obsidian/plugins/periodic-notes/data.json': iso }, 'week', date);
    expect(isoWeek.path).toBe('2026-W53.md');
  });

  test('settings that cannot be read give way to defaults, and are named', async () => {
    const broken = await journalOf({ '.obsidian/daily-notes.json': '{broken' }, 'day');
    expect(broken).toMatchObject({
      path: '2026-11-18.md',
      warnings: [expect.stringContaining('is not valid')],
    });
    const odd = await journalOf({ '.obsidian/daily-notes.json': { folder: 7, format: ['x'] } }, 'day');
    expect(odd.path).toBe('2026-11-18.md');
    expect((await journalOf({ 'logseq/config.edn': 'garbage' }, 'day')).warnings).toHaveLength(1);
  });

  test('what an app does not keep is named, and no path leaves the folder', async () => {
    const edn = { 'logseq/config.edn': '{}' };
    await expect(journalOf(edn, 'week')).rejects.toThrow('Logseq keeps notes of days');
    await expect(journalOf({ 'logseq/config.edn': '{:preferred-format "Org"}' }, 'day')).rejects.toThrow(
      'Org',
    );
    const outside = { '.obsidian/daily-notes.json': { folder: '../other' } };
    await expect(journalOf(outside, 'day')).rejects.toThrow('Path traversal not allowed');
    const unknown = { '.obsidian/daily-notes.json': { format: 'LL' } };
    await expect(journalOf(unknown, 'day')).rejects.toThrow('The token LL');
  });
});

test('a space keeps days in Journal, or where a page template says', () => {
  const page = (path: string, frontmatter: Record<string, unknown>) => ({
    path: path as NotePath,
    frontmatter,
    frontmatterTags: [String(frontmatter.tags)],
  });
  const journal = (pages: ReturnType<typeof page>[], period: Period = 'day', config = '') =>
    spaceJournal(pages, config, period, DATE);
  expect(journal([])).toMatchObject({ path: 'Journal/2026-11-18.md', template: undefined });
  expect(() => journal([], 'month')).toThrow('SilverBullet keeps notes of days');
  const two = page('Library/Journal.md', {
    tags: 'meta/template/page',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the syntax of SilverBullet
    suggestedName: 'Diary/${date.today()}',
  });
  expect(journal([two])).toMatchObject({ path: 'Diary/2026-11-18.md', template: two.path });
  const one = page('T.md', {
    tags: 'template',
    hooks: { newPage: { suggestedName: 'Journal/Week/{{weekStart}}' } },
  });
  expect(journal([one], 'week').path).toBe('Journal/Week/2026-11-16.md');
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the syntax of SilverBullet
  const other = page('X.md', { tags: 'meta/template/page', suggestedName: 'Inbox/${os.time()}' });
  expect(journal([other]).path).toBe('Journal/2026-11-18.md');
});

/** As its Configuration Manager writes them, and as people do by hand. */
const CONFIG_2_8 = (lua: string) =>
  `#meta\n\nThis page holds configuration.\n\n\`\`\`space-lua\n-- config.set("journal.prefix", "Example/")\nconfig.set {\n  shortWikiLinks = false\n}\n\`\`\`\n\n\`\`\`space-lua\n-- managed-by: configuration-manager\n${lua}\n\`\`\`\n\nconfig.set("journal.prefix", "Prose/")\n`;

test.each([
  ['2.0: no journal in it', 'config.set("std.widgets.toc.enabled", false)', 'Journal/2026-11-18.md', false],
  ['2.8', 'config.set("journal.prefix", "Diary/")', 'Diary/2026-11-18.md', false],
  ['2.8, a table', "config.set('journal', { tag = 'log', prefix = 'Log ' })", 'Log 2026-11-18.md', false],
  [
    '2.8, all in one table, the last counts',
    'config.set("journal.prefix", "Old/")\nconfig.set {\n  journal = { -- mine\n    prefix = "",\n    template = "My/Day"\n  }\n}',
    '2026-11-18.md',
    true,
  ],
])('the page CONFIG of SilverBullet %s', (_, lua, path, hasTemplate) => {
  const standard = {
    path: 'Library/Std/Journal/Template.md' as NotePath,
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the syntax of SilverBullet
    frontmatter: { frontmatter: 'tags: ${config.get("journal.tag")}\ndate: ${date.today()}\n' },
    frontmatterTags: ['meta/template'],
  };
  const journal = spaceJournal([standard], CONFIG_2_8(lua), 'day', DATE);
  expect(journal.path).toBe(path);
  expect(journal.template).toBe(hasTemplate ? 'My/Day.md' : standard.path);
  if (hasTemplate) return;
  const tag = lua.includes("tag = 'log'") ? 'log' : 'journal';
  expect(fillTemplate('---\ntags: meta/template\n---\n* |^|', journal, {})).toBe(
    `---\ntags: ${tag}\ndate: 2026-11-18\n---\n* `,
  );
});

test('a template is filled in; what is not known is left and named', async () => {
  const warnings: string[] = [];
  const journal = await folderJournal(undefined, 'day', DATE, {});
  const fill = (template: string) =>
    fillTemplate(template, journal, { onWarning: (warning) => warnings.push(warning) });
  expect(fill('# {{title}} {{ date }} {{date:dddd, MMMM Do}} {{time}} {{time:HH}} {{DATE:YYYY}}')).toBe(
    '# 2026-11-18 2026-11-18 Wednesday, November 18th 09:05 09 2026',
  );
  expect(
    fill('{{yesterday}} {{tomorrow:MM-DD}} {{date+1w:YYYY-MM-DD}} {{monday:DD}} {{sunday:DD}} {{x}}'),
  ).toBe('2026-11-17 11-19 2026-11-25 16 15 {{x}}');
  expect(warnings).toEqual([]);
  const formats = { '.obsidian/templates.json': { folder: 'T', dateFormat: 'D.M.YYYY', timeFormat: 'H[h]' } };
  const german = await folderJournal(settings(formats), 'day', DATE, {});
  expect(fillTemplate('{{date}} {{time}} {{title}}', german, {})).toBe('18.11.2026 9h 2026-11-18');
  expect(fill('<% tp.date.now() %> {{date:LL}}')).toBe('<% tp.date.now() %> {{date:LL}}');
  expect(warnings).toEqual([expect.stringContaining('Templater'), expect.stringContaining('The token LL')]);
});
