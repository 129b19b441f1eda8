import * as z from 'zod';
import { AppError } from '../../shared/errors.ts';
import { calendarDate, findSpecialNote } from '../../stores/trilium/calendar-dates.ts';
import { type TreeNode, treeOf } from '../../stores/trilium/note-tree.ts';
import { searchNotes as search } from '../../stores/trilium/search/find.ts';
import { orderKey } from '../../stores/trilium/search/prepare.ts';
import { pageEnd } from '../shared/parameters.ts';
import { defineTool } from './backend.ts';
import { noteRow, noteView } from './note-view.ts';
import { checkField, id, limit, offset, shortText } from './parameters.ts';

const ROW_OVERHEAD = 1;

export const searchNotes = defineTool({
  name: 'search_notes',
  title: 'Search notes',
  description:
    'Find notes by text, labels, relations or properties. Words must all occur (when none match, any of them counts: fuzzy). Syntax: words first, then conditions, e.g. "tower #book note.type = text", "#status = open", "~author", "note.title *=* plan", "a or b"; prefixes id:<noteId> and title:<text>. Returns {results (rows without text), total, nextOffset?, note?}. Read a hit with get_note. Example: {"query":"project plan","limit":10}',
  effect: 'read',
  input: () =>
    z.object({
      query: z.string().min(1),
      fastSearch: z.boolean().optional().describe('Titles and attributes only'),
      includeArchivedNotes: z.boolean().optional(),
      ancestorNoteId: id('Only below this note').optional(),
      ancestorDepth: z
        .string()
        .regex(/^(eq|lt|gt)\d{1,3}$/)
        .optional()
        .describe('How far below it: eq1, lt3, gt2'),
      orderBy: shortText('title, dateCreated, dateModified, #label …; default: best match')
        .superRefine((name, context) => checkField(context, [], () => orderKey(name)))
        .optional(),
      orderDirection: z.enum(['asc', 'desc']).optional(),
      limit: limit(50, 10_000),
      offset: offset(),
      debug: z.boolean().optional(),
      fuzzy: z
        .enum(['auto', 'off', 'force'])
        .default('auto')
        .describe('Any word counts: when nothing matches, never, always'),
    }),
  async run(input, { backend: { client } }) {
    const found = await search(client, input);
    const rows = found.results.map(noteRow);
    const shown = pageEnd(rows, 0, (row) => JSON.stringify(row).length + ROW_OVERHEAD);
    const next = shown < rows.length ? found.offset + shown : found.nextOffset;
    const isForced = input.fuzzy === 'force';
    return {
      value: {
        results: rows.slice(0, shown),
        total: found.total,
        nextOffset: next,
        searchMode: isForced || found.searchMode === 'fuzzy' ? found.searchMode : undefined,
        fuzzyTerms: found.fuzzyTerms || undefined,
        totalCandidates: found.fuzzyTerms ? found.total : undefined,
        termsMatchedInTitleOrAttributes: found.termsMatchedInTitleOrAttributes || undefined,
        note: found.notes.length > 0 ? found.notes.join(' ') : undefined,
        debugInfo: found.debugInfo,
      },
    };
  },
});

const MOST_NOTES = 500;
/** A collapsed note with at most this many children lists their titles. */
const MOST_NAMED = 5;

export const getNoteTree = defineTool({
  name: 'get_note_tree',
  title: 'Get note tree',
  description: `List the notes below a note, in tree order. "root" is the top. Each node: {noteId, title, type, childCount, children?}; a branch id is "<parent id>_<note id>". At most ${MOST_NOTES} notes. Example: {"noteId":"root","depth":2}`,
  effect: 'read',
  input: () =>
    z.object({
      noteId: id(),
      depth: z.int().min(1).max(5).default(1).describe('Levels to open'),
      limit: limit(100, MOST_NOTES).describe('Children to show'),
      offset: offset(),
    }),
  async run({ noteId, ...request }, { backend: { client } }) {
    const { root, isCut } = await treeOf(client, noteId, { ...request, maxNotes: MOST_NOTES });
    const end = request.offset + (root.children?.length ?? 0);
    const isPaged = end < root.shownChildIds.length;
    const notes = [
      ...(isPaged ? [`Children ${request.offset + 1} to ${end} of ${root.shownChildIds.length}.`] : []),
      ...(isCut
        ? ['Some notes stay closed because there are too many; ask for them by their own noteId.']
        : []),
    ];
    return {
      value: {
        ...nodeView(root),
        ...(isPaged && { nextOffset: end }),
        ...(isCut && { truncated: true }),
        ...(notes.length > 0 && { note: notes.join(' ') }),
      },
    };
  },
});

function nodeView({ note, shownChildIds, children }: TreeNode): Record<string, unknown> {
  const skipped = note.childNoteIds.length - shownChildIds.length;
  const isNamed = !children && shownChildIds.length > 0 && shownChildIds.length <= MOST_NAMED;
  return {
    noteId: note.noteId,
    title: note.title,
    type: note.type,
    childCount: shownChildIds.length,
    childBranchIds: children ? children.map((child) => `${note.noteId}_${child.note.noteId}`) : undefined,
    systemChildrenSkipped: skipped > 0 ? skipped : undefined,
    childNoteIds: isNamed ? shownChildIds : undefined,
    children: children ? children.map(nodeView) : undefined,
  };
}

const KINDS = ['day', 'week', 'month', 'year', 'inbox'] as const;

const input = () =>
  z
    .object({
      kind: z.enum(KINDS),
      date: z
        .string()
        .optional()
        .describe('YYYY-MM-DD (day, inbox), YYYY-Www, YYYY-MM or YYYY; default: now'),
    })
    .superRefine(({ kind, date }, context) => checkField(context, ['date'], () => calendarDate(kind, date)));

export const getSpecialNoteReadOnly = defineTool({
  name: 'get_special_note',
  title: 'Get periodic or inbox note',
  description:
    'The journal note of a day, week, month or year, or the inbox note, if there is one: this Trilium is served read-only. Returns its metadata; read the text with get_note. Example: {"kind":"day","date":"2026-02-28"}',
  effect: 'read',
  input,
  async run({ kind, date }, { backend: { client } }) {
    const wanted = calendarDate(kind, date);
    const note = await findSpecialNote(client, kind, wanted);
    if (note) return { value: noteView(note) };
    throw new AppError('not_found', `There is no ${kind} note yet`, {
      subject: wanted,
      hint: 'This notebook is served read-only (--read-only), so none is made. Ask for another date, or look with search_notes.',
    });
  },
});

export const getSpecialNote = defineTool({
  name: 'get_special_note',
  title: 'Get periodic or inbox note',
  description:
    'The journal note of a day, week, month or year, or the inbox note for new things; made when it is missing. Returns its metadata; read the text with get_note. Example: {"kind":"day","date":"2026-02-28"}',
  effect: 'write',
  annotations: { idempotentHint: true },
  input,
  async run({ kind, date }, { backend: { client } }) {
    const note = await client.calendar[kind](calendarDate(kind, date));
    return { value: noteView(note) };
  },
});
