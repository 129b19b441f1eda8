import { describe, expect, test } from 'vitest';
import type { ReadSettings, SettingsFile } from '../vault-settings.ts';
import { folderJournal } from './journal.ts';
import type { Period } from './period.ts';
import { fillTemplate } from './template.ts';

const at = (text: string) => new Date(`${text}Z`);
const DATE = at('2026-11-18T09:05:07');

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
