/** Finds due dates: a word such as "by" or "until" and the date after it. */
import { type DateReading, readDate } from './phrase.ts';

interface Due {
  readonly day?: string;
  /** As written in the note. */
  readonly text: string;
  readonly ambiguous: boolean;
  /** Range in the text, the trigger word included. */
  readonly start: number;
  readonly end: number;
}

const TRIGGER =
  /(?<![\p{L}\d@#])(?:(?:no later than|not later than|due(?: date)?(?: on| by|:)?|by|before|until|till|on|within|deadline:?|bis(?: spätestens)?(?: zum| zur| am)?|spätestens(?: am| bis(?: zum)?)?|fällig(?: am)?:?|am|vor(?: dem)?|avant(?: le| la)?|pour le|d'ici(?: le| la| au)?|antes del?|para el|hasta el)\s+(?:the\s+)?(?:close of\s+)?|(?=in (?:\p{L}{1,6}|\d{1,3}) (?:day|week|month|tag|woche|monat|mois|semaine|jour))|(?=innerhalb von |dans )|(?=(?:by )?(?:end of|ende (?:des|der|\p{Lu}))\s)|(?=EO[DWMY]\b|COB\b)|(?:in\s+)(?=Q[1-4]\b|KW ?\d))/giu;
/** German "vor zwei Wochen" is in the past. */
const IS_AGO = /^vor(?: dem)?\s/i;
const IS_SPAN = /^(?:\p{L}{1,6}|\d{1,3}) \p{L}/u;
/** A date at the end of a line, in parentheses or after a dash. */
const TAIL = /(?:\(|[–—]\s+|\s-\s+)([^()–—]{2,30}?)\)?[.\s]*$/u;
const ARTICLES = /(?:the|le|la|el)\s+$/i;

/** The last due date counts: "move the Monday sync, by Friday". */
export function findDue(text: string, reading: DateReading): Due | undefined {
  let found: Due | undefined;
  for (const match of text.matchAll(TRIGGER)) {
    const due = dueAt(text, match.index, match[0], reading);
    if (due && (found === undefined || due.start >= found.end)) found = due;
  }
  return found;
}

function dueAt(text: string, start: number, trigger: string, reading: DateReading): Due | undefined {
  const at = start + trigger.length;
  if (
    IS_AGO.test(trigger) &&
    IS_SPAN.test(text.slice(at, at + 12)) &&
    !/^\d{1,2}\. /.test(text.slice(at, at + 5))
  )
    return undefined;
  const date = readDate(text, at, reading) ?? readBehindArticle(text, start, at, reading);
  if (!date || isPossessive(text, date.end)) return undefined;
  const { day, ambiguous, end } = date;
  return {
    day,
    ambiguous,
    start,
    end,
    text: text
      .slice(start, end)
      .trim()
      .replace(/(?<=\p{L})\.$/u, ''),
  };
}

/** Some dates include the article: "by the end of", "by the 20th". */
function readBehindArticle(text: string, start: number, at: number, reading: DateReading) {
  const article = ARTICLES.exec(text.slice(start, at));
  return article ? readDate(text, at - article[0].length, reading) : undefined;
}

/** "on Friday's report" names a report. */
function isPossessive(text: string, end: number): boolean {
  return /^['’]s\b/.test(text.slice(end, end + 3));
}

/** The date of a value that is nothing but a date: a field, a table cell. */
export function dueOfValue(value: string, reading: DateReading): Due | undefined {
  const text = value.trim();
  const start = /^(?:by|on|due:?|before|until|bis|am)\s+/i.exec(text)?.[0].length ?? 0;
  const date = readDate(text, start, reading);
  if (!date || /[\p{L}\d]/u.test(text.slice(date.end))) return undefined;
  const { day, ambiguous } = date;
  return { day, ambiguous, text, start: 0, end: text.length };
}

/** A date at the very end, in parentheses or after a dash; only for texts known to be an action. */
export function dueAtEnd(text: string, reading: DateReading): Due | undefined {
  const tail = TAIL.exec(text.slice(-60));
  if (!tail) return undefined;
  const due = dueOfValue(tail[1] ?? '', reading);
  const start = Math.max(0, text.length - 60) + tail.index;
  return due && { ...due, start, end: start + tail[0].length };
}
