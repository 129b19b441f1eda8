import * as z from 'zod';
import { searchNotes as search } from '../../stores/trilium/search/find.ts';
import { orderKey } from '../../stores/trilium/search/order.ts';
import { pageEnd } from '../shared/paging.ts';
import { defineTool } from './backend.ts';
import { noteRow } from './note-view.ts';
import { checkField, id, limit, offset, shortText } from './parameters.ts';

const ROW_OVERHEAD = 1;

export const searchNotes = defineTool({
  name: 'search_notes',
  title: 'Search notes',
  description:
    'Find notes by text, labels, relations or properties. Words must all occur (when none match, any of them counts: fuzzy). Syntax: words first, then conditions, e.g. "tower #book note.type = text", "#status = open", "~author", "note.title *=* plan", "a or b"; prefixes id:<noteId> and title:<text>. Returns {results (slim rows without text), total, nextOffset?, note?}. Read a hit with get_note. Example: {"query":"project plan","limit":10}',
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
      orderBy: shortText('title, dateCreated, dateModified, #label …; best match first if omitted')
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
  async run(input, { backend: { client }, signal }) {
    const found = await search(client, input, { signal });
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
