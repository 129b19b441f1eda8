import * as z from 'zod';
import { backlinks as find } from '../../../notes/ops/links.ts';
import { moveNote } from '../../../notes/ops/move-note.ts';
import { isTrashed } from '../../../notes/ops/trash.ts';
import { pageNameOf } from '../../../notes/page-path.ts';
import type { NotePath } from '../../../notes/path.ts';
import type { NoteStore } from '../../../notes/store.ts';
import { withWarnings } from '../../shared/parameters.ts';
import { assertSize, assertWritable, parseMove } from '../access.ts';
import { defineTool, moveOnce, type PagesBackend, repeatKey } from '../backend.ts';
import { onNamedPage, onPages } from '../page-errors.ts';
import { flag, limit, page, repeated } from '../parameters.ts';

const USUAL_LIMIT = 50;

export const backlinks = defineTool({
  name: 'backlinks',
  title: 'Backlinks',
  description:
    'List the pages that link to a page, by wikilink, embed or markdown link, with the line of each link. Links in code do not count. Example: {"page":"projects/plan"}',
  effect: 'read',
  input: () => z.strictObject({ page: page(), limit: limit(USUAL_LIMIT) }),
  async run({ page: raw, limit: most = USUAL_LIMIT }, call) {
    const { notes, searcher } = call.backend;
    const { path } = await onNamedPage(call.backend, raw, (at) => (notes.stat ?? notes.read)(at), call);
    const warned = withWarnings(call);
    const { incoming } = await find(searcher, path, warned.options);
    const links = incoming.filter(({ from }) => !isTrashed(from));
    const shown = links
      .slice(0, most)
      .map(({ from, line, target }) => ({ page: pageNameOf(from), path: from, line, link: target }));
    return {
      value: {
        path,
        count: shown.length,
        backlinks: shown,
        total: links.length > shown.length ? links.length : undefined,
        ...warned.warning(),
      },
    };
  },
});

/**
 * The files whose links a rename rewrites: not the trash, whose pages stay as they were deleted, except for the pages
 * being moved. Writing to a page that is not writable fails; the answer names it, and its links go stale.
 */
function linkedFiles(backend: PagesBackend, moving: readonly NotePath[]): NoteStore {
  const { files } = backend;
  const { changeAll } = files;
  const assertMayWrite = (path: NotePath, content: string | Uint8Array) => {
    assertWritable(backend, path);
    assertSize(path, content);
  };
  return {
    ...files,
    list: async (options) =>
      (await files.list(options)).filter(({ path }) => !isTrashed(path) || moving.includes(path)),
    write: async (path, content, conditions) => {
      assertMayWrite(path, content);
      return files.write(path, content, conditions);
    },
    changeAll:
      changeAll &&
      (async (changes, options) => {
        for (const change of changes)
          if (change.kind === 'write') assertMayWrite(change.path, change.content);
        return changeAll(changes, options);
      }),
  };
}

const SHOWN = 200;

export const renamePage = defineTool({
  name: 'rename_page',
  title: 'Rename page and its links',
  description:
    'Give a page another name or folder and rewrite the links to it in other pages ([[old]], [[old|alias]], [[old#heading]], ![[old]], markdown links), and its own relative links. dry_run only shows which pages would change. To leave links alone use move_page. Example: {"from":"inbox/idea","to":"projects/idea"}',
  effect: 'destroy',
  input: () =>
    z.strictObject({
      from: page('The page as it is called now'),
      to: page('Its new name, with folder'),
      dry_run: flag().optional().describe('Only show what would change. Default: false'),
    }),
  async run({ from: rawFrom, to: rawTo, dry_run: dryRun = false }, call) {
    const { backend, signal } = call;
    const rename = async (from: NotePath) => {
      const to = parseMove(backend, from, rawTo);
      const notebook = { ...backend, files: linkedFiles(backend, [from, to]) };
      const move = { from, to, overwrite: false, updateLinks: true, dryRun };
      const {
        updated = [],
        failed = [],
        ...result
      } = await moveOnce(backend, {
        key: repeatKey(call, 'rename', from, to),
        from,
        isRemembered: !dryRun,
        move: () =>
          onPages(backend.notes, [from, to], async () => ({
            ...(await moveNote(notebook, move, signal)),
            to,
          })),
      });
      const linksUpdated = updated.reduce((sum, { links }) => sum + links, 0);
      return {
        value: {
          from,
          to,
          ...(dryRun ? { dryRun } : { renamed: true }),
          linksUpdated,
          updated: updated.slice(0, SHOWN).map(({ path, links }) => ({ page: pageNameOf(path), links })),
          failed: failed.length > 0 ? failed.slice(0, SHOWN) : undefined,
          ...repeated(result),
        },
        facts: !dryRun ? { page: from, to, links_updated: linksUpdated, ...repeated(result) } : undefined,
      };
    };
    return onNamedPage(backend, rawFrom, rename, { signal });
  },
});
