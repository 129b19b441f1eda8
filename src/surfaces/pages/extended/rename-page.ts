import * as z from 'zod';
import { type MoveResult, moveNote } from '../../../notes/ops/move-note.ts';
import { readIfThere } from '../../../notes/ops/update-note.ts';
import { invalidPage, pageNameOf, parsePagePath } from '../../../notes/page-path.ts';
import { isAppError } from '../../../shared/errors.ts';
import { assertMovable } from '../access.ts';
import { defineTool, repeatKey } from '../backend.ts';
import { onPages } from '../page-errors.ts';
import { flag, page, repeated } from '../parameters.ts';
import { linkedFiles } from './linked-files.ts';

const SHOWN = 200;
const NOTHING: MoveResult = { updated: [], failed: [] };

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
    const { notes, repeats, turns } = backend;
    const from = parsePagePath(rawFrom);
    const to = parsePagePath(rawTo);
    if (from === to) throw invalidPage(rawTo, 'source and destination are identical');
    assertMovable(backend, from, to);
    const key = repeatKey(call, 'rename', from, to);
    const notebook = { ...backend, files: linkedFiles(backend, [from, to]) };
    const rename = async () => {
      try {
        const move = { from, to, overwrite: false, updateLinks: true, dryRun };
        const moved = await moveNote(notebook, move, signal);
        if (!dryRun) repeats.moves.set(key, to);
        return { ...moved, deduplicated: false };
      } catch (error) {
        const isRepeat = repeats.moves.get(key) === to && isAppError(error, 'not_found');
        if (isRepeat && (await readIfThere(notes, to))) return { ...NOTHING, deduplicated: true };
        throw error;
      }
    };
    const { updated, failed, ...result } = await turns.run(from, () => onPages(notes, [from, to], rename));
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
  },
});
