/**
 * Journal and inbox notes that are there. Asking Trilium for one by its date makes it; a search for the label it
 * carries does not.
 */
import type { CalendarKind } from './calendar-dates.ts';
import type { TriliumClient } from './client.ts';
import type { CallOptions, TriliumNote } from './wire/types.ts';

const LABELS: Readonly<Record<Exclude<CalendarKind, 'inbox'>, string>> = {
  day: 'dateNote',
  week: 'weekNote',
  month: 'monthNote',
  year: 'yearNote',
};

/** `date` has been checked: it goes into a query. */
export async function findSpecialNote(
  client: TriliumClient,
  kind: CalendarKind,
  date: string,
  options?: CallOptions,
): Promise<TriliumNote | undefined> {
  if (kind !== 'inbox') return findInJournal(client, { name: LABELS[kind], value: date }, options);
  const inbox = await findLabelled(client, { name: 'inbox' }, options);
  return inbox ?? findInJournal(client, { name: LABELS.day, value: date }, options);
}

interface Label {
  readonly name: string;
  /** Any value, if it is left out. */
  readonly value?: string;
}

/** Other calendars, those of workspaces, have notes with the same labels. */
async function findInJournal(
  client: TriliumClient,
  label: Label,
  options?: CallOptions,
): Promise<TriliumNote | undefined> {
  const journal = await findLabelled(client, { name: 'calendarRoot' }, options);
  return journal && findLabelled(client, label, { ...options, below: journal.noteId });
}

async function findLabelled(
  client: TriliumClient,
  { name, value }: Label,
  { below, ...options }: CallOptions & { readonly below?: string } = {},
): Promise<TriliumNote | undefined> {
  const search = value === undefined ? `#${name}` : `#${name} = "${value}"`;
  const request = { search, includeArchivedNotes: true, fastSearch: true, ancestorNoteId: below };
  const { results } = await client.search(request, options);
  return results.find(({ noteId, attributes }) =>
    attributes.some(
      (attribute) =>
        attribute.noteId === noteId &&
        attribute.type === 'label' &&
        attribute.name === name &&
        (value === undefined || attribute.value === value),
    ),
  );
}
