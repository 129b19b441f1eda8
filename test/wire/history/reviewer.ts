/** What a person can do with the proposals of tool sets. */
import { expect } from 'vitest';
import { createUndo } from '../../../src/app/history.ts';
import { acceptAll, decide } from '../../../src/app/review.ts';
import type { ServedSets } from '../../kit/note-sets.ts';

/** `accept` takes the answer that speaks of the proposal. */
export function person({ served }: ServedSets) {
  const parts = async () => {
    const changes = (await served.changes())!;
    return { changes, desk: changes.tracking.desk!, history: changes.tracking.history! };
  };
  return {
    async accept(answer: string): Promise<void> {
      const { desk } = await parts();
      const id = /proposal (p\w{16})/.exec(answer)?.[1] ?? answer;
      const proposal = (await desk.proposals.get(id))!;
      const { conflicts } = await decide(desk, id, { accept: acceptAll(proposal), reject: [] }, 'person');
      expect(conflicts).toEqual([]);
    },
    /** How many changes the history has. */
    recorded: async () => (await (await parts()).history.list({}, 1_000)).length,
    /** Undoes the last change. */
    async undo(): Promise<void> {
      const { changes, history } = await parts();
      const [last] = await history.list({}, 1);
      const { conflicts } = await createUndo({ ...changes, history })(
        [last!],
        {},
        { dryRun: false, copies: false },
      );
      expect(conflicts).toEqual([]);
    },
  };
}
