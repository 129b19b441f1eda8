/** Finds the note of a day, week, month, quarter or year, makes it from its template, and adds to it. */
import { AppError, isAppError } from '../../shared/errors.ts';
import { bodyStartOf } from '../frontmatter/split.ts';
import { joinBlocks } from '../insert-block.ts';
import { formatMoment } from '../journal/date-format.ts';
import { folderJournal, type JournalNote } from '../journal/journal.ts';
import { dateMeant, type Period, wallClock } from '../journal/period.ts';
import { CONFIG_PAGE, spaceJournal } from '../journal/space-journal.ts';
import { fillTemplate } from '../journal/template.ts';
import type { NotePath } from '../path.ts';
import type { SearchOptions } from '../searcher.ts';
import { editSection } from '../section-edit.ts';
import type { Note, Notebook } from '../store.ts';
import { textOf } from '../text/text.ts';
import type { ReadSettings } from '../vault-settings.ts';
import { findNote } from './find-note.ts';
import { assertRules, readIfThere, updateNote } from './update-note.ts';

export interface PeriodicNotebook extends Notebook {
  readonly kind: 'folder' | 'silverbullet' | 'trilium' | 'postgres';
  readonly settings?: ReadSettings;
  readonly now: () => number;
}

export interface WantedPeriod {
  readonly period: Period;
  /** A day, `today`, `yesterday`, `tomorrow`, or a number of periods from now. */
  readonly date: string;
}

interface PlannedNote {
  /** Undefined for a note that only its server can place. */
  readonly path?: NotePath;
  readonly day: string;
  readonly journal?: JournalNote;
}

export interface PeriodicNote {
  readonly path?: NotePath;
  /** A day of the period. */
  readonly day: string;
  /** Absent when it is not there yet. */
  readonly note?: Note;
}

export async function findPeriodicNote(
  notebook: PeriodicNotebook,
  wanted: WantedPeriod,
  asking: SearchOptions,
): Promise<PeriodicNote> {
  const { path, day } = await plan(notebook, wanted, asking);
  const note = path === undefined ? undefined : await readIfThere(notebook.notes, path);
  return { path, day, note };
}

export interface PeriodicAddition {
  /** Nothing is added without it. */
  readonly content?: string;
  /** Made when it is missing. */
  readonly heading?: string;
}

export interface ChangedPeriodicNote {
  readonly path: NotePath;
  readonly day: string;
  readonly created: boolean;
}

/** Makes the note if it is missing, and adds to it, as one change. */
export async function addToPeriodicNote(
  notebook: PeriodicNotebook,
  wanted: WantedPeriod,
  addition: PeriodicAddition,
  asking: SearchOptions,
): Promise<ChangedPeriodicNote> {
  const planned = await plan(notebook, wanted, asking);
  const { day, journal } = planned;
  if (!journal) return addOnServer(notebook, wanted.period, planned, addition, asking);
  let created = false;
  await updateNote(
    notebook.notes,
    journal.path,
    async (current) => {
      created = current === undefined;
      const before = current ? textOf(current) : await firstText(notebook, journal, asking);
      const after = added(before, addition, journal);
      await assertRules(notebook, journal.path, after);
      return current && after === before ? undefined : after;
    },
    asking.signal,
  );
  return { path: journal.path, day, created };
}

async function plan(
  { kind, settings, searcher, notes, now }: PeriodicNotebook,
  { period, date: word }: WantedPeriod,
  asking: SearchOptions,
): Promise<PlannedNote> {
  const date = dateMeant(word, period, wallClock(now()));
  const day = formatMoment(date, 'YYYY-MM-DD');
  switch (kind) {
    case 'folder':
    case 'postgres': {
      const journal = await folderJournal(settings, period, date, asking);
      return { day, journal, path: journal.path };
    }
    case 'silverbullet': {
      const pages = await searcher.notes(asking);
      const config = pages.some(({ path }) => path === CONFIG_PAGE)
        ? await readIfThere(notes, CONFIG_PAGE)
        : undefined;
      const journal = spaceJournal(pages, config ? textOf(config) : '', period, date);
      return { day, journal, path: journal.path };
    }
    case 'trilium':
      return { day, path: await journalOf(notes)(serverPeriod(period), day, { create: false }) };
  }
}

function journalOf({ journalNote }: Notebook['notes']): NonNullable<Notebook['notes']['journalNote']> {
  if (journalNote) return journalNote;
  throw new AppError('unsupported', 'These notes have no calendar');
}

function serverPeriod(period: Period): Exclude<Period, 'quarter'> {
  if (period !== 'quarter') return period;
  throw new AppError('unsupported', "Trilium's interface has no notes of quarters", {
    hint: 'Use day, week, month or year.',
  });
}

/** The server makes the note, by its own template. */
async function addOnServer(
  { notes }: PeriodicNotebook,
  period: Period,
  { path: known, day }: PlannedNote,
  addition: PeriodicAddition,
  asking: SearchOptions,
): Promise<ChangedPeriodicNote> {
  const path = known ?? (await journalOf(notes)(serverPeriod(period), day, { create: true }));
  if (path === undefined)
    throw new AppError('unsupported', 'The note cannot be made here', {
      hint: 'Trilium makes the notes of its calendar itself, so that cannot be proposed. Make it there, then add to it.',
    });
  await updateNote(
    notes,
    path,
    async (current) => {
      const before = current ? textOf(current) : '';
      const after = added(before, addition);
      return after === before ? undefined : after;
    },
    asking.signal,
  );
  return { path, day, created: known === undefined };
}

async function firstText(
  notebook: PeriodicNotebook,
  journal: JournalNote,
  asking: SearchOptions,
): Promise<string> {
  const { template, syntax } = journal;
  if (template === undefined) return '';
  if (syntax === 'logseq') {
    asking.onWarning?.(
      `The template "${template}" was not used: templates of Logseq are blocks that only it can copy.`,
    );
    return '';
  }
  try {
    const path = await findNote(notebook, template.replace(/^\/+/, ''), asking);
    return fillTemplate(textOf(await notebook.notes.read(path)), journal, asking);
  } catch (error) {
    if (!isAppError(error)) throw error;
    asking.onWarning?.(
      `The template "${template}" could not be read (${error.title}): the note begins empty.`,
    );
    return '';
  }
}

function added(text: string, { content, heading }: PeriodicAddition, journal?: JournalNote): string {
  if (content === undefined) return text;
  const piece = journal?.syntax === 'logseq' ? asBlocks(content) : content;
  if (heading !== undefined)
    return editSection(text, { heading, mode: 'append', content: piece, create: true }).text;
  const bodyStart = bodyStartOf(text);
  const [head, body] = [text.slice(0, bodyStart), text.slice(bodyStart)];
  if (body.trim() === '') return `${head}${body}${piece.replace(/[\r\n]+$/, '')}\n`;
  // Items go on with a list that stands at the end.
  const isList = /(?:^|\n)[ \t]*[-*+] [^\n]*\s*$/.test(body) && /^[-*+] /.test(piece);
  return isList
    ? `${head}${body.trimEnd()}${body.includes('\r\n') ? '\r\n' : '\n'}${piece.replace(/[\r\n]+$/, '')}\n`
    : head + joinBlocks(body, `${piece.replace(/[\r\n]+$/, '')}\n`, 'after');
}

/** Every paragraph is a block of Logseq, which are items of a list. */
function asBlocks(content: string): string {
  if (/^[ \t]*- /.test(content)) return content;
  return content
    .trim()
    .split(/\r?\n[ \t]*\r?\n/)
    .map((paragraph) => `- ${paragraph.trim().replace(/\r?\n/g, '\n  ')}`)
    .join('\n');
}
