/** The proposals of all notebooks, for the review page. */

import type { Viewer } from '../../console/page.ts';
import type { ReviewSource } from '../../console/pages/review.ts';
import type { Proposal, Verdict } from '../../history/proposal.ts';
import type { Proposals } from '../../history/proposals.ts';
import { AppError } from '../../shared/errors.ts';
import { LruMap } from '../../shared/memoize.ts';
import type { NotebookServer } from '../notebooks.ts';
import { conflictsOf, decide, proposedTexts, type ReviewDesk } from '../review.ts';

export function reviewSource(
  notebooks: ReadonlyMap<string, NotebookServer>,
  markOf: ReviewSource['mark'],
): ReviewSource {
  const desks = async (): Promise<Map<string, ReviewDesk>> => {
    const found = new Map<string, ReviewDesk>();
    for (const [name, served] of notebooks) {
      const desk = (await served.changes())?.tracking.desk;
      if (desk) found.set(name, desk);
    }
    return found;
  };
  const deskOf = async ({ notebook }: Proposal): Promise<ReviewDesk> => {
    const desk = (await desks()).get(notebook);
    if (desk) return desk;
    throw new AppError('not_found', 'The notebook is not served any more', { subject: notebook });
  };
  return {
    async list(viewer) {
      const all: Proposal[] = [];
      for (const { proposals } of (await desks()).values()) all.push(...(await proposals.list()));
      const seen = new Set<string>();
      return all
        .filter((proposal) => maySee(viewer, proposal) && !seen.has(proposal.id) && seen.add(proposal.id))
        .sort((a, b) => (a.id < b.id ? 1 : -1));
    },
    mark: markOf,
    texts: async (proposal, edit) => proposedTexts(await deskOf(proposal), proposal, edit),
    conflicts: async (proposal) => conflictsOf(await deskOf(proposal), proposal),
    decide: async (viewer: Viewer, proposal: Proposal, verdict: Verdict) => {
      if (verdict.accept.size > 0 && !viewer.mayChange)
        throw new AppError('forbidden', 'Your role does not let you accept changes', {
          hint: 'Nothing was changed. An admin can accept this proposal; you can reject it.',
        });
      return decide(await deskOf(proposal), proposal.id, verdict, viewer.user);
    },
  };
}

const MOST_MARKS = 100;

/** Another text after each proposal and decision that the viewer may see: others' are not theirs to know, not even when. */
export function proposalMarks(
  notebooks: ReadonlyMap<string, NotebookServer>,
): (viewer: Viewer) => Promise<string> {
  const ownMarks = new LruMap<{ readonly all: string; readonly own: string }>(MOST_MARKS);
  return async (viewer) => {
    const proposals = await proposalsOf(notebooks);
    const all = (await Promise.all(proposals.map((one) => one.mark()))).join(' ');
    if (viewer.isAdmin) return all;
    const known = ownMarks.get(viewer.user);
    if (known?.all === all) return known.own;
    const lists = await Promise.all(proposals.map((one) => one.list()));
    const own = lists
      .flat()
      .flatMap((one) => (maySee(viewer, one) ? `${one.id} ${one.decisions.length}` : []))
      .join(' ');
    ownMarks.set(viewer.user, { all, own });
    return own;
  };
}

async function proposalsOf(notebooks: ReadonlyMap<string, NotebookServer>): Promise<Proposals[]> {
  const changes = await Promise.all([...notebooks.values()].map((served) => served.changes()));
  return changes.flatMap((one) => one?.tracking.desk?.proposals ?? []);
}

/** People see what came through their own login; admins see everything. */
function maySee({ user, isAdmin }: Viewer, { by }: Proposal): boolean {
  return isAdmin || by.principal === `user:${user}`;
}
