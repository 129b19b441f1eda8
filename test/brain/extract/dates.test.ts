import { describe, expect, it } from 'vitest';
import { dueAtEnd, dueOfValue, findDue } from '../../../src/brain/extract/dates/due.ts';

/** A Monday. */
const reading = { reference: '2026-11-16', order: undefined };
const day = (text: string) => findDue(text, reading)?.day;

describe('due dates behind a trigger word', () => {
  it.each([
    ['by Friday', '2026-11-20'],
    ['by Fri', '2026-11-20'],
    ['by Monday', '2026-11-23'],
    ['by next Friday', '2026-11-27'],
    ['by Friday next week', '2026-11-27'],
    ['before this Thursday', '2026-11-19'],
    ['by tomorrow', '2026-11-17'],
    ['until the 20th', '2026-11-20'],
    ['by the 3rd', '2026-12-03'],
    ['in 2 weeks', '2026-11-30'],
    ['in two months', '2027-01-16'],
    ['within 3 days', '2026-11-19'],
    ['within the next two weeks', '2026-11-30'],
    ['by Nov 20', '2026-11-20'],
    ['by November 20th, 2027', '2027-11-20'],
    ['no later than 20 November', '2026-11-20'],
    ['due on 5 Jan', '2027-01-05'],
    ['on 2026-12-24', '2026-12-24'],
    ['by EOD', '2026-11-16'],
    ['EOW', '2026-11-20'],
    ['by EOM', '2026-11-30'],
    ['end of week', '2026-11-20'],
    ['by the end of the week', '2026-11-20'],
    ['by end of next week', '2026-11-27'],
    ['by end of month', '2026-11-30'],
    ['by the end of next month', '2026-12-31'],
    ['by end of November', '2026-11-30'],
    ['by end of the year', '2026-12-31'],
    ['by mid-December', '2026-12-15'],
    ['by March', '2027-03-01'],
    ['by Q1', '2027-03-31'],
    ['by end of Q4', '2026-12-31'],
    ['in Q2 2028', '2028-06-30'],
    ['by 2026-W48', '2026-11-27'],
    ['bis KW 49', '2026-12-04'],
    ['bis Freitag', '2026-11-20'],
    ['bis zum 20.11.', '2026-11-20'],
    ['bis 01.12.2026', '2026-12-01'],
    ['bis morgen', '2026-11-17'],
    ['bis Ende November', '2026-11-30'],
    ['bis Ende der Woche', '2026-11-20'],
    ['bis nächsten Freitag', '2026-11-27'],
    ['am 20. November', '2026-11-20'],
    ['avant vendredi', '2026-11-20'],
    ['avant le 20 novembre', '2026-11-20'],
    ['para el 20 de noviembre', '2026-11-20'],
    ['by 25/12/2026', '2026-12-25'],
    ['by 12/25', '2026-12-25'],
  ])('%s', (text, expected) => {
    expect(day(`send the draft ${text}`)).toBe(expected);
    expect(day(`send the draft ${text}, please`)).toBe(expected);
  });

  it.each([
    'march on with the plan',
    'he sat on the chair',
    'do it now',
    'today we decided',
    'on 3/4 of the machines',
    'work on Friday’s report',
    'stand by me',
    'on may we agree',
    'by 10 people',
    'vor zwei Wochen',
    'I am sun and moon',
    'ready ASAP',
    'on 31.02.2026',
    'by 2026-13-01',
  ])('is not seen in: %s', (text) => {
    expect(findDue(text, reading)).toBeUndefined();
  });

  it('is reported as ambiguous when day and month could change places', () => {
    expect(findDue('by 3/4/2027', reading)).toMatchObject({ day: '2027-03-04', ambiguous: true });
    expect(findDue('by 3/4/2027', { ...reading, order: 'dmy' })).toMatchObject({
      day: '2027-04-03',
      ambiguous: false,
    });
    expect(findDue('by 4/4/2027', reading)).toMatchObject({ day: '2027-04-04', ambiguous: false });
    expect(findDue('by 13/4/2027', reading)).toMatchObject({ day: '2027-04-13', ambiguous: false });
  });

  it('has words but no day when there is nothing to count from', () => {
    const due = findDue('call Ben by Friday', { reference: undefined, order: undefined });
    expect(due).toMatchObject({ text: 'by Friday' });
    expect(due?.day).toBeUndefined();
    expect(findDue('by 2026-12-01', { reference: undefined, order: undefined })?.day).toBe('2026-12-01');
  });

  it('may also end a line, or be all of a field', () => {
    expect(dueAtEnd('list of tools (Nov 20)', reading)?.day).toBe('2026-11-20');
    expect(dueAtEnd('list of tools – Friday', reading)?.day).toBe('2026-11-20');
    expect(dueAtEnd('list of tools (blue)', reading)).toBeUndefined();
    expect(dueOfValue('Friday', reading)?.day).toBe('2026-11-20');
    expect(dueOfValue('Friday or so', reading)).toBeUndefined();
  });
});
