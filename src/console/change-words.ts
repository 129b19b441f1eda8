/** A change in words, for lists and headings. */
import type { Change, ChangeAuthor, RecordedEdit } from '../history/change.ts';
import type { EditKind } from '../notes/edit-recorder.ts';
import { type Html, html } from '../shared/html.ts';

const VERBS: Readonly<Record<EditKind, string>> = {
  create: 'Created',
  write: 'Changed',
  delete: 'Deleted',
  move: 'Moved',
};
const MOST_NAMED = 3;

/** What was done to which notes. */
export function summaryOf({ edits, undoes }: Pick<Change, 'edits' | 'undoes'>): Html {
  const [first, ...rest] = edits;
  const what =
    first === undefined
      ? html`Changed notes`
      : html`${VERBS[first.kind]} ${noteOf(first)}${rest.slice(0, MOST_NAMED - 1).map((edit) => html`, ${noteOf(edit)}`)}${
          rest.length >= MOST_NAMED && html` and ${rest.length - MOST_NAMED + 1} more`
        }`;
  return undoes === undefined ? what : html`Undid: ${what}`;
}

/** The same in a few words, for a heading. */
export function titleOf({ edits, undoes }: Pick<Change, 'edits' | 'undoes'>): string {
  const [first] = edits;
  if (undoes !== undefined) return `Undid ${plural(undoes.length, 'change')}`;
  if (first === undefined || edits.length > 1) return `Changed ${plural(edits.length, 'note')}`;
  return `${VERBS[first.kind]} ${first.title ?? first.path}`;
}

export function noteOf({ path, to, title, part }: RecordedEdit): Html {
  const place = part === undefined ? path : `${path}, ${part}`;
  const name = title === undefined ? place : `${title} (${place})`;
  return html`<b>${name}</b>${to !== undefined && html` → <b>${to}</b>`}`;
}

export function verbOf({ kind }: Pick<RecordedEdit, 'kind'>): string {
  return VERBS[kind];
}

/** The app; the person is named beside it where one is known. */
export function appOf({ client, principal }: ChangeAuthor): string {
  if (client === 'console') return 'This console';
  return client ?? (principal?.startsWith('terminal:') ? 'Terminal' : 'Unknown app');
}

export function personOf({ principal }: ChangeAuthor): string | undefined {
  if (principal === undefined || principal === 'anonymous') return undefined;
  return principal.replace(/^(?:user|terminal):/, '');
}

/** For a change that is not simply done. */
export function stateOf({ edits }: Pick<Change, 'edits'>): string | undefined {
  if (edits.some(({ state }) => state === 'unknown')) return 'cut off; what became of it is not known';
  return edits.some(({ state }) => state === 'open') ? 'not finished' : undefined;
}

export function plural(count: number, noun: string): string {
  return count === 1 ? `1 ${noun}` : `${count.toLocaleString('en')} ${noun}s`;
}
