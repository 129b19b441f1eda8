import * as z from 'zod';
import type { Change } from '../../history/change.ts';
import type { ChangeFilter } from '../../history/change-log.ts';
import { isChangeId } from '../../history/history.ts';
import { type OutsideChange, outsideChanges } from '../../history/outside.ts';
import { parseSince } from '../../history/since.ts';
import { AppError } from '../../shared/errors.ts';
import { callerOf } from '../../shared/principal.ts';
import { VIEW_URI } from './app/view.ts';
import { changeView, defineTool, type HistoryBackend, isShown, type OpenChanges, since } from './backend.ts';

/** Changes among which the one before a listed change is looked for. */
const CONTEXT = 1_000;

export const listChanges = defineTool({
  name: 'list_changes',
  title: 'List changes',
  description:
    'List what was changed in the notes through Quire, by anybody, the newest first. Changes of one session have one group; `canUndo`: you may undo it; `outside`: notes changed without Quire in between. For the lines use show_change. Example: {"path":"projects/plan.md","since":"2h"}',
  effect: 'read',
  view: { uri: VIEW_URI },
  input: () =>
    z.strictObject({
      path: z.string().max(4096).default('').describe('A note or a folder; empty for all'),
      since: since('2h, 3d, yesterday, or an ISO date'),
      by: z.string().min(1).max(200).optional().describe('Part of the name of a client'),
      limit: z.number().int().min(1).max(100).default(20).describe('Changes to return'),
      before: z.string().max(40).optional().describe('`next` of a previous answer'),
    }),
  output: () =>
    z.object({
      changes: z.array(z.unknown()),
      outside: z.array(z.unknown()).optional(),
      next: z.string().optional(),
    }),
  async run({ path, since: from, by, limit, before }, call) {
    const { backend } = call;
    if (before !== undefined && !isChangeId(before))
      throw new AppError('invalid_input', 'before is not the id of a change', {
        hint: 'Give the value of next in a previous answer.',
      });
    const opened = await backend.open();
    const filter = { since: from === undefined ? undefined : parseSince(from), client: by, before };
    const changes = await visibleChanges(opened, path, filter, limit + 1, backend);
    const shown = changes.slice(0, limit);
    const caller = callerOf(call);
    const outside = await outsideOf(opened, path, shown, backend);
    return {
      value: {
        changes: shown.map((change) => changeView(change, caller, backend)),
        outside: outside.length > 0 ? outside.map(outsideView) : undefined,
        next: changes.length > limit ? shown.at(-1)?.id : undefined,
      },
    };
  },
});

/** Of a note, or of what is below a folder. Changes of hidden notes do not count. */
async function visibleChanges(
  { history }: OpenChanges,
  path: string,
  filter: ChangeFilter,
  most: number,
  backend: HistoryBackend,
): Promise<Change[]> {
  const place = path.replace(/^\/+|\/+$/g, '');
  const list = async (at: ChangeFilter): Promise<Change[]> => {
    for (let count = most; ; count *= 4) {
      const changes = await history.list({ ...filter, ...at }, count);
      const visible = changes.flatMap((change) => (isShown(change, backend) ? [change] : []));
      if (visible.length >= most || changes.length < count) return visible.slice(0, most);
    }
  };
  if (place === '') return list({});
  const changes = await list({ path: place });
  return changes.length > 0 ? changes : list({ under: place });
}

async function outsideOf(
  opened: OpenChanges,
  path: string,
  shown: readonly Change[],
  backend: HistoryBackend,
): Promise<OutsideChange[]> {
  const ids = new Set(shown.map(({ id }) => id));
  const preceding = await opened.history.preceding?.(shown);
  const context = preceding
    ? [...shown, ...preceding.filter(({ id }) => !ids.has(id))]
    : await visibleChanges(opened, path, {}, CONTEXT, backend);
  return outsideChanges(context).filter(
    ({ foundBy, path: at }) => ids.has(foundBy) && backend.isVisible({ path: at }),
  );
}

function outsideView({ path, foundBy, since, until }: OutsideChange) {
  return { path, foundBy, since: new Date(since).toISOString(), until: new Date(until).toISOString() };
}
