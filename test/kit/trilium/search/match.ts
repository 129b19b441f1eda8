/** Whether a note fulfils a condition or holds some words. */
import type { Database, NoteRow } from '../database.ts';
import { shownTitle } from '../views.ts';
import type { Token } from './lex.ts';
import type { Condition } from './parse.ts';

/** The values of a path such as `labels.status` or `parents.title`, lower case. */
export function valuesOf(db: Database, note: NoteRow, path: readonly string[]): string[] {
  const [first = '', ...rest] = path;
  const through = (ids: readonly string[]) =>
    ids.flatMap((id) => {
      const other = db.note(id);
      return other ? valuesOf(db, other, rest) : [];
    });
  const named = (type: string) =>
    db
      .allAttributes(note.noteId)
      .filter((one) => one.type === type && one.name.toLowerCase() === rest[0])
      .map(({ value }) => value);
  switch (first) {
    case 'labels':
      return named('label').map((value) => value.toLowerCase());
    case 'relations':
      return named('relation').flatMap((id) => {
        const target = db.note(id);
        return target ? valuesOf(db, target, rest.length > 1 ? rest.slice(1) : ['title']) : [];
      });
    case 'parents':
      return through(db.parentBranches(note.noteId).map(({ parentNoteId }) => parentNoteId));
    case 'children':
      return through(db.childBranches(note.noteId).map(({ noteId }) => noteId));
    case 'ancestors':
      return through(ancestorIds(db, note.noteId));
    default:
      return [String(propertyOf(db, note, first) ?? '').toLowerCase()];
  }
}

function propertyOf(db: Database, note: NoteRow, name: string): unknown {
  switch (name) {
    case 'content':
      return note.isProtected ? '' : plainText(db, note);
    case 'rawcontent':
      return note.isProtected ? '' : db.content(note).toString();
    case 'text':
      return note.isProtected ? '' : `${note.title} ${plainText(db, note)}`;
    case 'title':
      return shownTitle(db, note);
    case 'isarchived':
      return isArchived(db, note.noteId);
    case 'childrencount':
      return db.childBranches(note.noteId).length;
    case 'parentcount':
      return db.parentBranches(note.noteId).length;
    case 'labelcount':
      return db.allAttributes(note.noteId).filter(({ type }) => type === 'label').length;
    case 'relationcount':
      return db.allAttributes(note.noteId).filter(({ type }) => type === 'relation').length;
    case 'contentsize':
      return db.content(note).length;
    case 'revisioncount':
      return [...db.revisions.values()].filter(({ noteId }) => noteId === note.noteId).length;
    default:
      return Object.entries(note).find(([key]) => key.toLowerCase() === name)?.[1];
  }
}

export function isArchived(db: Database, noteId: string): boolean {
  return db.allAttributes(noteId).some(({ type, name }) => type === 'label' && name === 'archived');
}

export function ancestorIds(db: Database, noteId: string): string[] {
  const found = new Set<string>();
  const queue = [noteId];
  for (const id of queue)
    for (const { parentNoteId } of db.parentBranches(id))
      if (!found.has(parentNoteId)) {
        found.add(parentNoteId);
        queue.push(parentNoteId);
      }
  return [...found];
}

export function plainText(db: Database, note: NoteRow): string {
  const text = db.content(note).toString();
  return note.type === 'text' ? text.replace(/<[^>]*>/g, ' ') : text;
}

export function fulfils(db: Database, note: NoteRow, condition: Condition): boolean {
  switch (condition.kind) {
    case 'all':
      return true;
    case 'and':
      return condition.parts.every((part) => fulfils(db, note, part));
    case 'or':
      return condition.parts.some((part) => fulfils(db, note, part));
    case 'not':
      return !fulfils(db, note, condition.part);
    case 'has':
      return db
        .allAttributes(note.noteId)
        .some((one) => one.type === condition.type && one.name.toLowerCase() === condition.name);
    case 'compare':
      return valuesOf(db, note, condition.path).some((value) =>
        holds(value, condition.operator, condition.value),
      );
  }
}

function holds(value: string, operator: string, wanted: string): boolean {
  const isBefore = (a: string, b: string) => {
    const [x, y] = [Number(a), Number(b)];
    return Number.isNaN(x) || Number.isNaN(y) ? a < b : x < y;
  };
  switch (operator) {
    case '=':
      return value === wanted;
    case '!=':
      return value !== wanted;
    case '*=*':
      return value.includes(wanted);
    case '=*':
      return value.startsWith(wanted);
    case '*=':
      return value.endsWith(wanted);
    case '%=':
      return new RegExp(wanted, 'i').test(value);
    case '<':
      return isBefore(value, wanted);
    case '>':
      return isBefore(wanted, value);
    case '<=':
      return !isBefore(wanted, value);
    case '>=':
      return !isBefore(value, wanted);
    case '~=':
      return isNear(wanted, value);
    default:
      return value.split(/\W+/).some((word) => isNear(wanted, word));
  }
}

export interface WordSearch {
  readonly tokens: readonly Token[];
  readonly isFast: boolean;
  /** Whether words may be misspelt. */
  readonly isFuzzy: boolean;
}

/**
 * Every word in the title, a prefix or an attribute (inherited ones too), in those of any note above by any way up, or
 * in the content; at least one of them in the note itself.
 */
export function holdsWords(db: Database, note: NoteRow, { tokens, isFast, isFuzzy }: WordSearch): boolean {
  const words = tokens.map(({ token }) => token);
  if (words.length === 0) return true;
  const isIn = (text: string) => (word: string) =>
    text.includes(word) ||
    (isFuzzy && word.length >= 3 && text.split(/\W+/).some((other) => isNear(word, other)));
  const own = flatText(db, note);
  const content = isFast || note.isProtected ? '' : plainText(db, note).toLowerCase();
  if (words.every((word) => isIn(own)(word) || isIn(content)(word))) return true;
  if (!words.some(isIn(own))) return false;
  const above = ancestorIds(db, note.noteId).flatMap((id) => {
    const ancestor = db.note(id);
    return ancestor ? [flatText(db, ancestor)] : [];
  });
  return words.every(isIn([own, ...above].join(' ')));
}

function flatText(db: Database, note: NoteRow): string {
  const attributes = db.allAttributes(note.noteId).map(({ name, value }) => `${name} ${value}`);
  const prefixes = db.parentBranches(note.noteId).map(({ prefix }) => prefix ?? '');
  return [note.noteId, note.type, note.mime, shownTitle(db, note), ...prefixes, ...attributes]
    .join(' ')
    .toLowerCase();
}

/** Up to two letters wrong, missing or swapped ("beta" finds "Delta"); one in very short words. */
function isNear(a: string, b: string): boolean {
  const most = a.length >= 4 ? 2 : 1;
  if (Math.abs(a.length - b.length) > most) return false;
  let above = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    for (let column = 1; column <= b.length; column++) {
      const change = (above[column - 1] ?? 0) + (a[row - 1] === b[column - 1] ? 0 : 1);
      current[column] = Math.min(change, (above[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1);
    }
    above = current;
  }
  return (above[b.length] ?? 0) <= most;
}
