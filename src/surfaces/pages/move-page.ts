import * as z from 'zod';
import { relocate } from '../../notes/ops/relocate.ts';
import { readIfThere } from '../../notes/ops/update-note.ts';
import { invalidPage, parsePagePath } from '../../notes/page-path.ts';
import { isAppError } from '../../shared/errors.ts';
import { assertMovable } from './access.ts';
import { defineTool, repeatKey } from './backend.ts';
import { onPages } from './page-errors.ts';
import { page, repeated } from './parameters.ts';

export const movePage = defineTool({
  name: 'move_page',
  title: 'Move page',
  description:
    'Give a page another name or folder; fails if there is a page of that name. Links to it in other pages stay as they are. A page can be brought back out of _trash/ this way. Returns {from, to, moved}. Example: {"from":"inbox/idea","to":"projects/idea"}',
  effect: 'destroy',
  input: () =>
    z.strictObject({ from: page('The page as it is called now'), to: page('Its new name, with folder') }),
  async run({ from: rawFrom, to: rawTo }, call) {
    const { backend, signal } = call;
    const { notes, repeats, turns } = backend;
    const from = parsePagePath(rawFrom);
    const to = parsePagePath(rawTo);
    if (from === to) throw invalidPage(rawTo, 'source and destination are identical');
    assertMovable(backend, from, to);
    const key = repeatKey(call, 'move', from, to);
    const move = async () => {
      try {
        await relocate(notes, from, to, signal);
        repeats.moves.set(key, to);
        return { deduplicated: false };
      } catch (error) {
        const isRepeat = repeats.moves.get(key) === to && isAppError(error, 'not_found');
        if (isRepeat && (await readIfThere(notes, to))) return { deduplicated: true };
        throw error;
      }
    };
    const result = repeated(await turns.run(from, () => onPages(notes, [from, to], move)));
    return { value: { from, to, moved: true, ...result }, facts: { page: from, to, ...result } };
  },
});
