import { describe, expect, test } from 'vitest';
import type { NotePath } from '../path.ts';
import type { ReadSettings, SettingsFile } from '../vault-settings.ts';
import { formatJava, formatMoment } from './date-format.ts';
import { folderJournal, spaceJournal } from './journal.ts';
import { dateMeant, type Period } from './period.ts';
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

async function journalOf(files: Partial<Record<SettingsFile, unknown>>, period: Period) {
  const warnings: string[] = [];
  const journal = await folderJournal(settings(files), period, DATE, {
    onWarning: (warning) => warnings.push(warning),
  });
  return { path: journal.path as string, template: journal.template, warnings };
}

/** As the plugin wrote them: 0.0.x, and 1.0.0-beta. */
const PERIODIC_0 = {
  showGettingStartedBanner: false,
  hasMigratedDailyNoteSettings: true,
  hasMigratedWeeklyNoteSettings: true,
  daily: { format: '', template: 'Templates/Day.md', folder: 'Journal', enabled: true },
  weekly: { format: 'GGGG-[KW]WW', template: '', folder: 'Journal/Weeks/', enabled: true },
  monthly: { format: '', template: '', folder: '', enabled: false },
};
const PERIODIC_1 = {
  showGettingStartedBanner: false,
  installedVersion: '1.0.0-beta.3',
  activeCalendarSet: 'Work',
  calendarSets: [
    { id: 'Default', ctime: '2024-01-01T00:00:00.000Z', day: { enabled: true, format: 'DD' } },
    {
      id: 'Work',
      ctime: '2024-01-01T00:00:00.000Z',
      day: {
        enabled: true,
        openAtStartup: false,
        format: 'YYYY/MM/YYYY-MM-DD',
        folder: 'Log',
        templatePath: 'T/Day.md',
      },
      quarter: { enabled: true, format: '', folder: 'Q' },
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
    [V1, 'day', 'Log/2026/11/2026-11-18.md', 'T/Day.md'],
    [V1, 'quarter', 'Q/2026-Q4.md'],
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
  expect(spaceJournal([], 'day', DATE).path).toBe('Journal/2026-11-18.md');
  expect(() => spaceJournal([], 'month', DATE)).toThrow('SilverBullet keeps notes of days');
  const two = page('Library/Journal.md', {
    tags: 'meta/template/page',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the syntax of SilverBullet
    suggestedName: 'Diary/${date.today()}',
  });
  expect(spaceJournal([two], 'day', DATE)).toMatchObject({ path: 'Diary/2026-11-18.md', template: two.path });
  const one = page('T.md', {
    tags: 'template',
    hooks: { newPage: { suggestedName: 'Journal/Week/{{weekStart}}' } },
  });
  expect(spaceJournal([one], 'week', DATE).path).toBe('Journal/Week/2026-11-16.md');
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the syntax of SilverBullet
  const other = page('X.md', { tags: 'meta/template/page', suggestedName: 'Inbox/${os.time()}' });
  expect(spaceJournal([other], 'day', DATE).path).toBe('Journal/2026-11-18.md');
});

test('a template is filled in; what is not known is left and named', async () => {
  const warnings: string[] = [];
  const journal = await folderJournal(undefined, 'day', DATE, {});
  const fill = (template: string) =>
    fillTemplate(template, journal, DATE, { onWarning: (warning) => warnings.push(warning) });
  expect(fill('# {{title}} {{ date }} {{date:dddd, MMMM Do}} {{time}} {{time:HH}} {{DATE:YYYY}}')).toBe(
    '# 2026-11-18 2026-11-18 Wednesday, November 18th 09:05 09 2026',
  );
  expect(
    fill('{{yesterday}} {{tomorrow:MM-DD}} {{date+1w:YYYY-MM-DD}} {{monday:DD}} {{sunday:DD}} {{x}}'),
  ).toBe('2026-11-17 11-19 2026-11-25 16 15 {{x}}');
  expect(warnings).toEqual([]);
  expect(fill('<% tp.date.now() %> {{date:LL}}')).toBe('<% tp.date.now() %> {{date:LL}}');
  expect(warnings).toEqual([expect.stringContaining('Templater'), expect.stringContaining('The token LL')]);
});
