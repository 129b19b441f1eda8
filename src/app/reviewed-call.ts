/** A call whose changes become a proposal, about which the person at the client is asked where the client can. */
import { randomUUID } from 'node:crypto';
import type { ChangeAuthor } from '../history/change.ts';
import type { LandConflict } from '../history/land.ts';
import { isWaiting, type Proposal } from '../history/proposal.ts';
import { Drafts, type ProposedText, type ProposingSession } from '../history/proposing.ts';
import type { ClientRequest } from '../mcp/request.ts';
import {
  type CallEffects,
  type CallOrigin,
  type CallOutcome,
  type Output,
  withOutcome,
} from '../mcp/tool.ts';
import type { NotePath } from '../notes/path.ts';
import type { Note, NoteStore } from '../notes/store.ts';
import { AppError } from '../shared/errors.ts';
import type { TtlCache } from '../shared/memoize.ts';
import { type ProposingCall, proposedNote, reviewed } from '../stores/wrap/reviewed.ts';
import {
  decide,
  isReviewed,
  mayDecideThrough,
  personAt,
  proposedTexts,
  type ReviewDesk,
  type ReviewPolicy,
} from './review.ts';
import { answerOf, type GivenAnswer, type Question, questionFor } from './review-question.ts';

/** The changes of one call as a proposal. */
export interface ReviewedCall extends CallEffects {
  over(store: NoteStore): NoteStore;
}

/** A call that comes again with the person's answer. */
interface AskedCall {
  readonly by: string;
  readonly proposal: Proposal;
  readonly mode: Question['mode'];
  readonly answer: Output;
}

/** By what the client gives back. */
export type AskedCalls = TtlCache<AskedCall>;

interface ReviewedCallParts {
  readonly policy: ReviewPolicy;
  readonly desk: ReviewDesk;
  readonly session: ProposingSession;
  readonly origin: CallOrigin;
  readonly head: { readonly notebook: string; readonly tool: string; readonly by: ChangeAuthor };
  /** Where a person decides, as far as it is known. */
  readonly page?: () => string | undefined;
  readonly asked: AskedCalls;
}

/** Less than the minute after which many clients give up a call. */
const PATIENCE_MS = 50_000;
/** For a person who follows a link. */
const LINK_PATIENCE_MS = 20_000;

export function reviewCall(parts: ReviewedCallParts): ReviewedCall {
  const { policy, desk, session, origin, head, page, asked } = parts;
  const drafts = new Drafts();
  const shown = new Set<NotePath>();
  /** Whether a move of this call waits: the links that it changes wait with it. */
  let moveWaits: boolean | undefined;
  const call: ProposingCall = {
    proposed: async () => notesOf(await session.texts(), drafts.texts),
    isReviewed: (edit, texts, isBuiltOn) => {
      const isOfMove = edit.kind === 'write' && moveWaits !== undefined;
      const waits =
        isBuiltOn || (isOfMove ? moveWaits === true : isReviewed(policy, origin.effect, edit, texts));
      if (edit.kind === 'move') moveWaits = waits || moveWaits === true;
      return waits;
    },
    propose: (edit, texts) => drafts.add(edit, texts),
    showed: (path) => void shown.add(path),
  };
  const by = JSON.stringify([origin.principal?.id, origin.tool]);
  const withNews = async (first: string, outcome: Omit<CallOutcome, 'notices'>): Promise<CallOutcome> => ({
    notices: [first, ...(await session.news())],
    ...outcome,
  });
  const waits = ({ id }: Proposal) => withNews(waiting(id, page?.()), { proposal: id });
  /** What has become of a proposal when the person was asked. */
  const settle = async ({ id }: Proposal, given: GivenAnswer): Promise<CallOutcome> => {
    if (given === 'followed') await decidedSoon(desk, id);
    const proposal = await desk.proposals.get(id);
    // Decided elsewhere meanwhile: the news say how.
    if (!proposal || !isWaiting(proposal)) return { notices: await session.news(), proposal: id };
    // The caller may be allowed less than when it was asked.
    if (given === undefined || given === 'followed' || !mayDecideThrough(origin)) return waits(proposal);
    const decided = await decide(desk, id, given.verdictOn(proposal), personAt(origin));
    if (decided.conflicts.length > 0)
      return withNews(`${conflicting(decided.conflicts)} ${waiting(id, page?.())}`, { proposal: id });
    await session.forget(id);
    const change = decided.proposal.decisions.at(-1)?.change;
    return withNews(told(decided.proposal), { proposal: id, change });
  };
  const ask = async (proposal: Proposal, { client, signal }: ClientRequest, answer: Output) => {
    const texts = (at: number) => proposedTexts(desk, proposal, proposal.edits[at]!);
    const mayDecide = mayDecideThrough(origin);
    const question = await questionFor(proposal, texts, { can: client?.can, page: page?.(), mayDecide });
    if (!question) return waits(proposal);
    if (client?.isAskedByAnswer) {
      const state = randomUUID();
      asked.set(state, { by, proposal, mode: question.mode, answer });
      const inputRequests = { [REVIEW]: question.request };
      return {
        notices: [],
        proposal: proposal.id,
        questions: { resultType: 'input_required' as const, inputRequests, requestState: state },
      };
    }
    const patience = AbortSignal.any([signal, AbortSignal.timeout(PATIENCE_MS)]);
    // A client that does not answer leaves the proposal waiting.
    const response = await client?.elicit?.(question.request.params, patience).catch(() => undefined);
    signal.throwIfAborted();
    return settle(proposal, answerOf(response, question.mode));
  };
  return {
    over: (store) => reviewed(store, call),
    async finish(request, answer) {
      if (drafts.edits.length > 0) return ask(await session.propose(head, drafts.edits), request, answer);
      const notices = await session.news();
      for (const path of shown) notices.push(`This is ${path} as you proposed it; it waits for review.`);
      return { notices };
    },
    async resume({ round }) {
      const known = asked.get(round?.state ?? '');
      asked.delete(round?.state ?? '');
      if (known?.by !== by) throw notAsked();
      const { proposal, mode, answer } = known;
      const outcome = await settle(proposal, answerOf(round?.responses?.[REVIEW], mode));
      return withOutcome(answer, outcome, undefined);
    },
  };
}

const REVIEW = 'review';

/** Resolves when it is decided, or after a while. */
async function decidedSoon({ proposals }: ReviewDesk, id: string): Promise<void> {
  const until = Date.now() + LINK_PATIENCE_MS;
  while (Date.now() < until) {
    const proposal = await proposals.get(id);
    if (!proposal || !isWaiting(proposal)) return;
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
}

function notesOf(...layers: readonly ReadonlyMap<string, ProposedText>[]): Map<NotePath, Note | undefined> {
  const notes = new Map<NotePath, Note | undefined>();
  for (const layer of layers)
    for (const [path, { bytes, at }] of layer)
      notes.set(path as NotePath, bytes && proposedNote(path as NotePath, bytes, at));
  return notes;
}

function waiting(id: string, page: string | undefined): string {
  const where = page === undefined ? 'with the command quire review' : `at ${page}?id=${id}`;
  return `Nothing is changed yet: this is proposal ${id} and waits for review. A person decides ${where}. You read the notes as you proposed them; everybody else reads them as they were.`;
}

function told({ id, decisions }: Proposal): string {
  const last = decisions.at(-1);
  const result =
    last?.outcome === 'rejected' ? 'Nothing was changed.' : 'The change is in the notes and in the history.';
  const comment = last?.comment === undefined ? '' : ` They say: ${last.comment}`;
  return `Proposal ${id} was ${last?.outcome} by ${last?.by}. ${result}${comment}`;
}

function conflicting(conflicts: readonly LandConflict[]): string {
  const reasons = conflicts.map(({ path, reason }) => `${path}: ${reason}`);
  return `The person accepted it, but the notes have changed since. ${reasons.join(' ')}`;
}

function notAsked(): AppError {
  return new AppError('invalid_input', 'This question is not open any more', {
    hint: 'Nothing was lost: what was proposed waits for review. Do not propose it again.',
  });
}
