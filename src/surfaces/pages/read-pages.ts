import * as z from 'zod';
import { isTrashed, TRASH } from '../../notes/ops/trash.ts';
import { isPagePath, pageNameOf } from '../../notes/page-path.ts';
import type { NotePath } from '../../notes/path.ts';
import type { SearchHit } from '../../notes/searcher.ts';
import type { NoteMeta } from '../../notes/store.ts';
import { textOf } from '../../notes/text/text.ts';
import { opening } from '../shared/binary.ts';
import {
  continuationOf,
  cursor,
  LIST_CHARACTERS,
  pageEnd,
  query,
  withWarnings,
} from '../shared/parameters.ts';
import { blurredTime, conflictCopyOf } from './access.ts';
import { callerOf, defineTool } from './backend.ts';
import { onNamedPage, tooLarge } from './page-errors.ts';
import { decodePlace, encodePlace, includeTrash, indexAfter, limit, page } from './parameters.ts';

/** Pages longer than this cannot be written, and clients would not show them. */
const MAX_SHOWN_BYTES = 1024 * 1024;

export const readPage = defineTool({
  name: 'read_page',
  title: 'Read page',
  description:
    'Read a page. The first block is {path, lastModified}, the second the raw markdown. Pass that lastModified to write_page as expected_last_modified to overwrite the page. To add text at an end use append_to_page or prepend_to_page, which need no read. Example: {"page":"projects/plan"}',
  effect: 'read',
  input: () => z.strictObject({ page: page() }),
  async run({ page: raw }, call) {
    const { notes, markers } = call.backend;
    const show = async (path: NotePath) => {
      const note = await notes.read(path);
      if (note.size > MAX_SHOWN_BYTES)
        throw tooLarge(
          path,
          note.size,
          MAX_SHOWN_BYTES,
          'search_pages finds passages in it, with their lines.',
        );
      const text = textOf(note);
      void call.backend.guard?.shown(note);
      const lastModified = markers.issue(callerOf(call), note);
      const { version } = note;
      const url = opening(call.backend).url(note.path);
      return {
        value: { path: note.path, lastModified, url },
        blocks: [{ type: 'text' as const, text }],
        version,
      };
    };
    return onNamedPage(call.backend, raw, show, call);
  },
});

export const listPages = defineTool({
  name: 'list_pages',
  title: 'List pages',
  description:
    'List every page of the space, last changed first, as {page, path, lastModified}. lastModified is to the second, for orientation; it is no version for write_page. A long list comes in parts: call again with next_cursor. To find pages by what they say use search_pages. Example: {"include_trash":false}',
  effect: 'read',
  input: () => z.strictObject({ include_trash: includeTrash(), cursor: cursor() }),
  async run({ include_trash: withTrash = false, cursor: after }, { backend, signal }) {
    const metas = (await backend.notes.list({ signal }))
      .filter(({ path }) => isPagePath(path) && (withTrash || !isTrashed(path)))
      .sort((a, b) => b.lastModified - a.lastModified || (a.path < b.path ? -1 : 1));
    const from = after === undefined ? 0 : indexAfter(metas, decodePlace(after));
    const end = pageEnd(metas, from, (meta) => JSON.stringify(entryOf(meta)).length + 1, LIST_CHARACTERS);
    const page = { entries: 'Pages', tool: 'list_pages', from, end, total: metas.length };
    return {
      value: {
        count: metas.length,
        pages: metas.slice(from, end).map(entryOf),
        ...continuationOf(page, () => encodePlace(metas[end - 1]!)),
      },
    };
  },
});

function entryOf({ path, lastModified }: NoteMeta) {
  const copyOf = conflictCopyOf(path);
  return {
    page: pageNameOf(path),
    path,
    lastModified: blurredTime(lastModified),
    conflictCopyOf: copyOf,
  };
}

const USUAL_LIMIT = 20;

export const searchPages = defineTool({
  name: 'search_pages',
  title: 'Search pages',
  description:
    'Find pages by words in their name, aliases, tags, headings or text; best first. Each hit has a snippet, the number of matches, a score, and the line and heading of the match. Then read_page; a hit\'s lastModified is no version for write_page. Quote "a phrase" to have it exactly. Example: {"query":"heating controller","limit":10}',
  effect: 'read',
  input: () => z.strictObject({ query: query(), limit: limit(USUAL_LIMIT), include_trash: includeTrash() }),
  async run({ query: wanted, limit: most = USUAL_LIMIT, include_trash: withTrash = false }, call) {
    const warned = withWarnings(call);
    const { hits, total } = await call.backend.searcher.search(
      {
        query: wanted,
        limit: most,
        withHeadings: true,
        filter: !withTrash ? { notUnder: TRASH } : undefined,
      },
      warned.options,
    );
    const { url } = opening(call.backend);
    const shown = hits.map((hit) => ({ ...hitOf(hit), url: url(hit.path) }));
    const value = { query: wanted, count: hits.length, hits: shown, ...warned.warning() };
    return { value: total > hits.length ? { ...value, total } : value };
  },
});

function hitOf({ path, lastModified, excerpt, count, score, line, heading }: SearchHit) {
  return {
    page: pageNameOf(path),
    path,
    lastModified: blurredTime(lastModified),
    snippet: excerpt,
    matches: count,
    score: Math.round(score * 100) / 100,
    line,
    heading,
  };
}
