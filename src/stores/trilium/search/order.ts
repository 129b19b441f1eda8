/** The order of results, done here: Trilium knows one direction only, and takes "roadmap 95" for a year. */
import { AppError } from '../../../shared/errors.ts';
import { memoize } from '../../../shared/memoize.ts';
import type { TriliumNote } from '../wire/types.ts';

type Key = (note: TriliumNote) => string | number | undefined;

const KEYS: Readonly<Record<string, Key>> = {
  title: ({ title }) => title,
  noteid: ({ noteId }) => noteId,
  type: ({ type }) => type,
  mime: ({ mime }) => mime,
  // Local times of different zones cannot be compared; the moments behind them can.
  datecreated: ({ utcDateCreated }) => utcDateCreated,
  datemodified: ({ utcDateModified }) => utcDateModified,
  utcdatecreated: ({ utcDateCreated }) => utcDateCreated,
  utcdatemodified: ({ utcDateModified }) => utcDateModified,
  childrencount: ({ childNoteIds }) => childNoteIds.length,
  parentcount: ({ parentNoteIds }) => parentNoteIds.length,
};
const NAMES =
  'relevancy, title, dateCreated, dateModified, type, mime, noteId, childrenCount, parentCount or #label';
/** Made when something is ordered: it takes 18 ms, which a start need not. */
const collator = memoize(() => new Intl.Collator('en', { numeric: true, sensitivity: 'base' }));

/** Undefined for the order in which they came. */
export function orderKey(orderBy: string | undefined): Key | undefined {
  const name = orderBy
    ?.trim()
    .replace(/^note\./i, '')
    .toLowerCase();
  if (name === undefined || name === 'relevancy' || name === 'relevance') return undefined;
  const label = /^#([\p{L}\p{N}_:-]+)$/u.exec(name)?.[1];
  if (label !== undefined)
    return ({ attributes }) =>
      attributes.find((one) => one.type === 'label' && one.name.toLowerCase() === label)?.value;
  const key = KEYS[name];
  if (!key)
    throw new AppError('invalid_input', 'Cannot order by that', {
      subject: orderBy?.slice(0, 60) ?? '',
      hint: `Use ${NAMES}.`,
    });
  return key;
}

/** Those without a value come last either way; ties stay as they were. */
export function inOrder(notes: readonly TriliumNote[], key: Key, direction: 'asc' | 'desc'): TriliumNote[] {
  const sign = direction === 'asc' ? 1 : -1;
  return [...notes].sort((a, b) => {
    const [x, y] = [key(a), key(b)];
    if (x === undefined || y === undefined) return Number(x === undefined) - Number(y === undefined);
    return (
      sign *
      (typeof x === 'number' && typeof y === 'number' ? x - y : collator().compare(String(x), String(y)))
    );
  });
}
