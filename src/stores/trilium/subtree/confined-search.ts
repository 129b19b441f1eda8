/**
 * A search that reveals nothing about notes outside the subtree. Trilium matches titles of ancestors, other parents,
 * branch prefixes and inherited attributes; so only conditions on a note itself are sent to Trilium, and all others
 * are evaluated here, on the visible part of the notes inside.
 */
import { mapConcurrently } from '../../../shared/async/semaphore.ts';
import { nearest } from '../../../shared/nearest.ts';
import type { SearchRequest, TriliumClient } from '../client.ts';
import { holdsText } from '../content-kind.ts';
import { fold, ranked } from '../search/find.ts';
import { inOrder, orderKey } from '../search/prepare.ts';
import { type Condition, type Expression, type QueryShape, quoted } from '../search/validate.ts';
import { EVERY_NOTE } from '../tree.ts';
import type { SearchAnswer, TriliumNote } from '../wire/entities.ts';
import { outOfReach, type Scope } from './scope.ts';

type Ids = ReadonlySet<string>;

/** Properties of a note itself, which a caller who may read the note may know. */
const OWN =
  /^note\.(?:children\.)*(?:noteId|title|text|content|rawContent|type|mime|isProtected|dateCreated|dateModified|utcDateCreated|utcDateModified|childrenCount|owned\w+|content\w*Size|revisionCount)$/i;
/** With fewer results Trilium adds guesses at spellings. */
const ENOUGH = 5;
/** Bound on the guesses that are evaluated. */
const MOST_GUESSES = 20;
const PARALLEL = 8;
/** Each word is a request. */
const MOST_WORDS = 8;

/** Whether the query has only conditions on the found notes themselves, which Trilium may evaluate. */
export function isAboutItself({ words, expression, ending }: QueryShape): boolean {
  const isOwn = (part: Expression): boolean => {
    if (part.kind === 'condition') return OWN.test(part.subject.text);
    return part.kind === 'not' ? isOwn(part.part) : part.parts.every(isOwn);
  };
  return words.length === 0 && (!expression || isOwn(expression)) && !/[#~]/.test(ending);
}

export async function searchConfined(
  client: TriliumClient,
  scope: Scope,
  request: SearchRequest & { readonly ancestorNoteId: string },
  shape: QueryShape,
): Promise<SearchAnswer> {
  const { ancestorNoteId, ancestorDepth, includeArchivedNotes, fastSearch = false } = request;
  const where = { ancestorNoteId, ancestorDepth, includeArchivedNotes };
  const ask = async (search: string, isFast = true): Promise<readonly TriliumNote[]> =>
    (await client.search({ ...where, search, fastSearch: isFast, orderBy: 'relevancy' })).results;
  const idsOf = async (search: string, isFast = true): Promise<Ids> =>
    new Set((await ask(search, isFast)).map(({ noteId }) => noteId));

  const whole = await ask(`${EVERY_NOTE} ${orderOf(shape.ending)}`.trim());
  const views = await scope.views(whole);
  const hidden = new Map(whole.map((note, at) => [note.noteId, hiddenNames(note, views[at] as TriliumNote)]));
  const notes = new Map(views.map((note) => [note.noteId, note]));
  const everyId: Ids = new Set(notes.keys());
  const texts = new Map(views.map((note) => [note.noteId, visibleText(note)]));
  const those = (isOne: (note: TriliumNote) => boolean): Ids =>
    new Set(views.filter(isOne).map(({ noteId }) => noteId));

  const labelled = async ({ subject, operator, value = '', text }: Condition): Promise<Ids> => {
    const [, sign = '#', negation, plain] = /^([#~])(!?)(.+)$/.exec(subject.text) ?? [];
    const name = (plain ?? subject.text.split('.').at(-1) ?? '').toLowerCase();
    const type = sign === '~' ? 'relation' : 'label';
    const valuesOf = (note: TriliumNote) =>
      note.attributes.filter((one) => one.type === type && one.name.toLowerCase() === name);
    if (operator === undefined) return those((note) => (negation === '!') !== valuesOf(note).length > 0);
    const answered = await idsOf(text);
    return those((note) => {
      const values = valuesOf(note);
      if (!answered.has(note.noteId) || values.length === 0) return false;
      // Trilium may have matched a hidden attribute of the same name.
      const isSure = !hidden.get(note.noteId)?.has(`${type} ${name}`);
      return isSure || values.some((one) => holdsValue(one.value, operator, value));
    });
  };

  const counted = ({ subject, operator = '=', value = '' }: Condition): Ids => {
    const count = COUNTS[subject.text.toLowerCase()];
    if (!count)
      throw outOfReach(
        'This query looks at other notes',
        `Only a subtree can be reached here: ${subject.text.slice(0, 60)} may depend on notes outside of it.`,
      );
    return those((note) => holdsValue(String(count(note)), operator, value));
  };

  const condition = async (one: Condition): Promise<Ids> => {
    const { text } = one.subject;
    if (OWN.test(text)) return idsOf(one.text);
    if (/^[#~]|^note\.labels\./i.test(text)) return labelled(one);
    const below = /^note\.children\.(.+)$/i.exec(text)?.[1];
    if (below === undefined) return counted(one);
    const subject = { ...one.subject, text: `note.${below}` };
    const children = await condition({
      ...one,
      subject,
      text: `note.${one.text.slice('note.children.'.length)}`,
    });
    return those(({ childNoteIds }) => childNoteIds.some((id) => children.has(id)));
  };

  const evaluate = async (part: Expression): Promise<Ids> => {
    if (part.kind === 'condition') return condition(part);
    if (part.kind === 'not') {
      const inner = await evaluate(part.part);
      return those(({ noteId }) => !inner.has(noteId));
    }
    const sets = await Promise.all(part.parts.map(evaluate));
    const isIn =
      ({ noteId }: TriliumNote) =>
      (set: Ids) =>
        set.has(noteId);
    return those((note) => (part.kind === 'or' ? sets.some(isIn(note)) : sets.every(isIn(note))));
  };

  /** The text of the note and of its ancestors inside. */
  const textAbove = (start: TriliumNote): string => {
    const ids = new Set([start.noteId]);
    for (const id of ids) for (const parent of notes.get(id)?.parentNoteIds ?? []) ids.add(parent);
    return [...ids].map((id) => texts.get(id) ?? '').join(' ');
  };

  const withWords = async (words: readonly string[]): Promise<Ids> => {
    const folded = words.map(fold);
    const inContent = fastSearch ? [] : await Promise.all(contentQueries(words).map((query) => idsOf(query)));
    const holds = (note: TriliumNote, text: string, word: string, at: number) =>
      text.includes(word) || inContent[Math.min(at, MOST_WORDS - 1)]?.has(note.noteId) === true;
    const exact = those((note) => {
      const own = texts.get(note.noteId) ?? '';
      if (folded.every((word, at) => holds(note, own, word, at))) return true;
      return (
        folded.some((word) => own.includes(word)) && folded.every((word) => textAbove(note).includes(word))
      );
    });
    if (exact.size >= ENOUGH) return exact;
    const guessed = (await ask(words.map(quoted).join(' '), fastSearch)).filter(
      ({ noteId }) => !exact.has(noteId),
    );
    const checked = await mapConcurrently(guessed.slice(0, MOST_GUESSES), PARALLEL, async ({ noteId }) => {
      const note = notes.get(noteId);
      return note && (await isGuessRight(note, folded)) ? [noteId] : [];
    });
    return new Set([...exact, ...checked.flat()]);
  };

  const isGuessRight = async (note: TriliumNote, words: readonly string[]): Promise<boolean> => {
    const above = textAbove(note);
    const left = words.filter((word) => !isNear(above, word));
    if (left.length === 0 && words.some((word) => isNear(texts.get(note.noteId) ?? '', word))) return true;
    const prefixes = await Promise.all(note.parentBranchIds.map((id) => client.branches.get(id)));
    const isRead = !fastSearch && !note.isProtected && holdsText(note);
    const content = isRead ? await client.notes.content(note.noteId) : undefined;
    const rest = fold(
      [...prefixes.map(({ prefix }) => prefix ?? ''), plainText(content?.bytes ?? new Uint8Array())].join(
        ' ',
      ),
    );
    return words.every((word) => isNear(texts.get(note.noteId) ?? '', word) || isNear(rest, word));
  };

  const { words, expression } = shape;
  const [byWords, byExpression] = await Promise.all([
    words.length === 0 ? everyId : withWords(words),
    expression ? evaluate(expression) : everyId,
  ]);
  const found = views.filter(({ noteId }) => byWords.has(noteId) && byExpression.has(noteId));
  return { results: arranged(found, shape) };
}

const COUNTS: Readonly<Record<string, (note: TriliumNote) => number | boolean>> = {
  'note.parentcount': ({ parentNoteIds }) => parentNoteIds.length,
  'note.attributecount': ({ attributes }) => attributes.length,
  'note.labelcount': ({ attributes }) => attributes.filter(({ type }) => type === 'label').length,
  'note.relationcount': ({ attributes }) =>
    attributes.filter(({ type, name }) => type === 'relation' && !/Link$/.test(name)).length,
  'note.isarchived': ({ attributes }) =>
    attributes.some(({ type, name }) => type === 'label' && name === 'archived'),
};

/** One query for each word; the last one combines all words beyond the bound. */
function contentQueries(words: readonly string[]): string[] {
  const each = words.map((word) => `note.content *=* ${quoted(word)}`);
  if (each.length <= MOST_WORDS) return each;
  return [...each.slice(0, MOST_WORDS - 1), each.slice(MOST_WORDS - 1).join(' AND ')];
}

/** Names of the attributes that are hidden. */
function hiddenNames(whole: TriliumNote, view: TriliumNote): Ids {
  const seen = new Set(view.attributes.map(({ attributeId }) => attributeId));
  const unseen = whole.attributes.filter(({ attributeId }) => !seen.has(attributeId));
  return new Set(unseen.map(({ type, name }) => `${type} ${name.toLowerCase()}`));
}

/** The text that Trilium searches besides the content. */
function visibleText({ noteId, type, mime, title, isProtected, attributes }: TriliumNote): string {
  const pairs = attributes.map(({ name, value }) => `${name} ${value}`);
  return fold([noteId, type, mime, isProtected ? '' : title, ...pairs].join(' '));
}

function plainText(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes).replace(/<[^>]*>/g, ' ');
}

function isNear(text: string, word: string): boolean {
  return (
    text.includes(word) ||
    nearest(word, [...new Set(text.split(/[^\p{L}\p{N}]+/u))].filter(Boolean)) !== undefined
  );
}

/** The `orderBy …` clause alone. */
function orderOf(ending: string): string {
  return ending.replace(/\blimit\s+\d+\s*$/i, '').trim();
}

/** In the order of the query, else the best first; cut at the query's limit. */
function arranged(notes: readonly TriliumNote[], { words, ending }: QueryShape): TriliumNote[] {
  const order = orderOf(ending).replace(/^orderby\s+/i, '');
  const limit = /\blimit\s+(\d+)\s*$/i.exec(ending)?.[1];
  const sorted = order === '' ? (words.length > 0 ? ranked(notes, words) : notes) : byKeys(notes, order);
  return sorted.slice(0, limit === undefined ? undefined : Number(limit));
}

/** Sorts by visible attributes; Trilium has sorted by all other keys already, and would use inherited attributes too. */
function byKeys(notes: readonly TriliumNote[], order: string): readonly TriliumNote[] {
  return order
    .split(',')
    .map((part) => part.trim().split(/\s+/))
    .reverse()
    .reduce<readonly TriliumNote[]>((sorted, [name = '', direction]) => {
      if (!/^[#~]/.test(name)) return sorted;
      const key = orderKey(name);
      return key ? inOrder(sorted, key, direction?.toLowerCase() === 'desc' ? 'desc' : 'asc') : sorted;
    }, notes);
}

/** Comparisons of a query that can be made without Trilium; by any other operator nothing matches here. */
const COMPARISONS: Readonly<Record<string, (value: string, wanted: string) => boolean>> = {
  '=': (value, wanted) => value === wanted,
  '!=': (value, wanted) => value !== wanted,
  '*=*': (value, wanted) => value.includes(wanted),
  '=*': (value, wanted) => value.startsWith(wanted),
  '*=': (value, wanted) => value.endsWith(wanted),
  '<': (value, wanted) => order(value, wanted) < 0,
  '<=': (value, wanted) => order(value, wanted) <= 0,
  '>': (value, wanted) => order(value, wanted) > 0,
  '>=': (value, wanted) => order(value, wanted) >= 0,
};

function holdsValue(value: string, operator: string, wanted: string): boolean {
  return COMPARISONS[operator]?.(value.toLowerCase(), wanted.toLowerCase()) ?? false;
}

/** Compares numbers as numbers and everything else as text. */
function order(a: string, b: string): number {
  const [x, y] = [Number(a), Number(b)];
  if (a !== '' && b !== '' && !Number.isNaN(x) && !Number.isNaN(y)) return x - y;
  return a < b ? -1 : a > b ? 1 : 0;
}
