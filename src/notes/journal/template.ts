/** The text of a new note from its template. What cannot be filled in is left as it is, and named. */
import { isAppError } from '../../shared/errors.ts';
import { bodyStartOf } from '../frontmatter/split.ts';
import type { SearchOptions } from '../searcher.ts';
import { formatMoment, WEEKDAYS } from './date-format.ts';
import type { JournalNote } from './journal.ts';
import { type Period, shifted } from './period.ts';

const VARIABLE = new RegExp(
  `\\{\\{\\s*(date|time|title|yesterday|tomorrow|${WEEKDAYS.join('|')})\\s*(?:([+-]\\d{1,4})\\s*([ymwqd]))?\\s*(?::([^{}]*))?\\}\\}`,
  'gi',
);
const UNITS: Readonly<Record<string, Period>> = { y: 'year', q: 'quarter', m: 'month', w: 'week', d: 'day' };

export function fillTemplate(template: string, journal: JournalNote, { onWarning }: SearchOptions): string {
  if (journal.syntax === 'silverbullet') return fillPage(template, journal, onWarning);
  if (template.includes('<%'))
    onWarning?.('Templater is not run here: what stands between <% and %> was left as it is.');
  return template.replace(VARIABLE, (all, word: string, count?: string, unit?: string, format?: string) => {
    const name = word.toLowerCase();
    if (name === 'title') return journal.title;
    const { date } = journal;
    const moved = count === undefined ? date : shifted(date, Number(count), UNITS[unit!.toLowerCase()]!);
    const shape = format?.trim() || (name === 'time' ? journal.timeFormat : journal.dateFormat);
    try {
      return formatMoment(dayMeant(name, moved, journal), shape, journal.week);
    } catch (error) {
      if (!isAppError(error, 'unsupported')) throw error;
      onWarning?.(`${all} was left as it is: ${error.title}.`);
      return all;
    }
  });
}

function dayMeant(name: string, date: Date, { week }: JournalNote): Date {
  if (name === 'yesterday') return shifted(date, -1, 'day');
  if (name === 'tomorrow') return shifted(date, 1, 'day');
  const weekday = WEEKDAYS.findIndex((day) => day.toLowerCase() === name);
  if (weekday < 0) return date;
  const place = (day: number) => (day + 7 - week.dow) % 7;
  return shifted(date, place(weekday) - place(date.getUTCDay()), 'day');
}

/** A page template of SilverBullet: its frontmatter is about the template. */
function fillPage(
  template: string,
  { date, frontmatter = '' }: JournalNote,
  onWarning: SearchOptions['onWarning'],
): string {
  const today = formatMoment(date, 'YYYY-MM-DD');
  const head = frontmatter.trim() === '' ? '' : `---\n${frontmatter.trim()}\n---\n`;
  const body = template.slice(bodyStartOf(template)).replace('|^|', '');
  const page = `${head}${body}`.replace(
    /\$\{date\.today\(\)\}|\$\{os\.date\(["']%Y-%m-%d["']\)\}|\{\{today\}\}/g,
    today,
  );
  if (/\$\{|\{\{/.test(page))
    onWarning?.('Expressions of the page template are not run here: they were left as they are.');
  return page;
}
