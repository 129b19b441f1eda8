/** Journal notes, made when asked for. Dates are looked at loosely: the 30th of February gets its note. */
import { type Answer, etapiError, type FakeRequest, json } from './answer.ts';
import type { Database, NoteRow } from './database.ts';
import type { Trilium } from './trilium.ts';
import { noteView } from './views.ts';

const DAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];
const MONTHS = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
];
const DAY_MS = 86_400_000;

function byLabel(db: Database, name: string, value?: string): NoteRow | undefined {
  const label = [...db.attributes.values()].find(
    (one) =>
      one.type === 'label' &&
      one.name === name &&
      (value === undefined || one.value === value) &&
      one.deleteId === undefined,
  );
  return label && db.note(label.noteId);
}

interface Kind {
  readonly label: string;
  readonly value: string;
  readonly title: string;
  readonly isSorted: boolean;
}

function findOrMake(db: Database, { label, value, title, isSorted }: Kind, parent: () => string): NoteRow {
  const found = byLabel(db, label, value);
  if (found) return found;
  const parentNoteId = parent();
  const note = db.addNote({ title, type: 'text', mime: 'text/html' }, '');
  db.addLabel(note.noteId, label, value);
  if (isSorted) db.addLabel(note.noteId, 'sorted');
  db.addBranch(note.noteId, parentNoteId);
  return note;
}

const rootNote = (db: Database): NoteRow =>
  byLabel(db, 'calendarRoot') ??
  findOrMake(db, { label: 'calendarRoot', value: '', title: 'Calendar', isSorted: true }, () => 'root');

const yearNote = (db: Database, year: string): NoteRow =>
  findOrMake(db, { label: 'yearNote', value: year, title: year, isSorted: true }, () => rootNote(db).noteId);

function monthNote(db: Database, month: string): NoteRow {
  const number = month.slice(5, 7);
  const title = `${number} - ${MONTHS[Number(number) - 1]}`;
  return findOrMake(
    db,
    { label: 'monthNote', value: month, title, isSorted: true },
    () => yearNote(db, month.slice(0, 4)).noteId,
  );
}

function dayNote(db: Database, day: string): NoteRow {
  const title = `${day.slice(8, 10)} - ${DAYS[new Date(day).getUTCDay()]}`;
  return findOrMake(
    db,
    { label: 'dateNote', value: day, title, isSorted: false },
    () => monthNote(db, day.slice(0, 7)).noteId,
  );
}

function weekNote(db: Database, week: string): NoteRow {
  const number = week.slice(6);
  const fourth = Date.parse(`${week.slice(0, 4)}-01-04`);
  const firstMonday = mondayOf(fourth);
  const monday = new Date(firstMonday + (Number(number) - 1) * 7 * DAY_MS);
  return findOrMake(
    db,
    { label: 'weekNote', value: week, title: `Week ${Number(number)}`, isSorted: true },
    () => monthNote(db, monday.toISOString().slice(0, 7)).noteId,
  );
}

function mondayOf(time: number): number {
  return time - ((new Date(time).getUTCDay() + 6) % 7) * DAY_MS;
}

function assertValid(isValid: boolean, kind: 'Date' | 'Week' | 'Month' | 'Year', text: string): void {
  if (!isValid) throw etapiError(400, `${kind.toUpperCase()}_INVALID`, `${kind} "${text}" is not valid.`);
}

function assertDay(day: string): void {
  assertValid(/^\d{4}-\d\d-\d\d$/.test(day) && !Number.isNaN(Date.parse(day)), 'Date', day);
}

export function getInbox({ db }: Trilium, { params: [day = ''] }: FakeRequest): Answer {
  assertDay(day);
  return json(noteView(db, byLabel(db, 'inbox') ?? dayNote(db, day)));
}

export function getDay({ db }: Trilium, { params: [day = ''] }: FakeRequest): Answer {
  assertDay(day);
  return json(noteView(db, dayNote(db, day)));
}

export function getWeekFirstDay({ db }: Trilium, { params: [day = ''] }: FakeRequest): Answer {
  assertDay(day);
  const monday = new Date(mondayOf(Date.parse(day))).toISOString().slice(0, 10);
  return json(noteView(db, dayNote(db, monday)));
}

export function getWeek({ db }: Trilium, { params: [week = ''] }: FakeRequest): Answer {
  assertValid(/^\d{4}-W\d\d$/.test(week), 'Week', week);
  if (!db.hasLabel(rootNote(db).noteId, 'enableWeekNote'))
    throw etapiError(404, 'WEEK_NOT_FOUND', `Week "${week}" not found. Check if week note is enabled.`);
  return json(noteView(db, weekNote(db, week)));
}

export function getMonth({ db }: Trilium, { params: [month = ''] }: FakeRequest): Answer {
  assertValid(/^\d{4}-\d\d$/.test(month), 'Month', month);
  return json(noteView(db, monthNote(db, month)));
}

export function getYear({ db }: Trilium, { params: [year = ''] }: FakeRequest): Answer {
  assertValid(/^\d{4}$/.test(year), 'Year', year);
  return json(noteView(db, yearNote(db, year)));
}
