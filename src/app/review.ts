/** Review: which changes of a caller become proposals, and what a person's decision does. */
import type { NotebookConfig } from '../config/schema.ts';
import { decode } from '../history/edit-texts.ts';
import { hunksOf, withHunks } from '../history/hunks.ts';
import { type LandableEdit, type LandConflict, land, planLanding } from '../history/land.ts';
import type { Decision, Proposal, ProposedEdit, Verdict } from '../history/proposal.ts';
import type { Proposals } from '../history/proposals.ts';
import type { CallOrigin } from '../mcp/tool.ts';
import type { EditTexts, NewEdit } from '../notes/edit-recorder.ts';
import { isTrashed } from '../notes/ops/trash.ts';
import type { NoteStore } from '../notes/store.ts';
import { AppError } from '../shared/errors.ts';
import { type Caller, mayOnlyPropose, type Principal, type Scope, scopeParts } from '../shared/principal.ts';

export type ReviewPolicy = NotebookConfig['review'];

/** A caller who may only propose is always reviewed. */
export function policyFor(
  { principal }: Pick<CallOrigin, 'principal'>,
  policy: ReviewPolicy,
  notebook: string,
): ReviewPolicy {
  return principal && mayOnlyPropose(principal, notebook) ? 'all' : policy;
}

/** Whether an edit waits for a person. A new note and an edit of named text destroy nothing. */
export function isReviewed(
  policy: ReviewPolicy,
  effect: CallOrigin['effect'],
  { kind, path, to }: NewEdit,
  texts: EditTexts,
) {
  if (policy === 'all') return true;
  if (kind === 'create') return false;
  // Pages are deleted by moving them to the trash.
  if (kind === 'move' && isTrashed(to ?? '') && !isTrashed(path)) return true;
  return kind === 'move' ? texts.replaced !== undefined : kind === 'delete' || effect === 'destroy';
}

/** Notes and proposals of one notebook. */
export interface ReviewDesk {
  readonly proposals: Proposals;
  /** The notes, through a view that records the change as proposed by one and accepted by the other. */
  open(proposal: Proposal, acceptedBy: string): { readonly notes: NoteStore; changeId(): string | undefined };
}

export interface Decided {
  readonly proposal: Proposal;
  /** Where there are any, nothing was decided. */
  readonly conflicts: readonly LandConflict[];
}

const MOST_COMMENT = 2_000;

/** Carries out a person's decision, all of it or nothing. */
export async function decide(
  desk: ReviewDesk,
  id: string,
  verdict: Verdict,
  person: string,
): Promise<Decided> {
  const { proposals } = desk;
  let conflicts: readonly LandConflict[] = [];
  const comment = verdict.comment?.trim().slice(0, MOST_COMMENT) || undefined;
  const proposal = await proposals.update(id, async (present) => {
    const accepted = [...verdict.accept].filter(([at]) => present.edits[at]?.state === 'waiting');
    const rejected = verdict.reject.filter((at) => present.edits[at]?.state === 'waiting');
    if (accepted.length + rejected.length === 0) throw alreadyDecided(id);
    const landable = await Promise.all(
      accepted.map(([at, part]) => landableOf(proposals, present, present.edits[at]!, part)),
    );
    const { notes, changeId } = desk.open(present, person);
    ({ conflicts } = landable.length > 0 ? await land(landable, notes) : { conflicts: [] });
    if (conflicts.length > 0) return present;
    const decision = { at: Date.now(), by: person, comment };
    const decisions: Decision[] = [
      ...acceptances(accepted).map((one) => ({ ...decision, ...one, change: changeId() })),
      ...(rejected.length > 0 ? [{ ...decision, outcome: 'rejected' as const, edits: rejected }] : []),
    ];
    const states = new Map(
      decisions.flatMap(({ outcome, edits }) => edits.map((at) => [at, outcome] as const)),
    );
    return {
      ...present,
      edits: present.edits.map((edit, at) => ({ ...edit, state: states.get(at) ?? edit.state })),
      decisions: [...present.decisions, ...decisions],
    };
  });
  return { proposal, conflicts };
}

function acceptances(accepted: readonly (readonly [number, 'whole' | ReadonlySet<number>])[]) {
  const outcomes = ['accepted', 'accepted in part'] as const;
  return outcomes.flatMap((outcome) => {
    const edits = accepted
      .filter(([, part]) => (part === 'whole') === (outcome === 'accepted'))
      .map(([at]) => at);
    return edits.length === 0 ? [] : [{ outcome, edits }];
  });
}

/** What accepting the waiting edits would meet. */
export function conflictsOf(desk: ReviewDesk, proposal: Proposal): Promise<readonly LandConflict[]> {
  return conflictsAmong(desk, [{ proposal, accept: acceptAll(proposal) }]);
}

/** A proposal, and what of it is to be accepted. */
export interface WantedProposal extends Pick<Verdict, 'accept'> {
  readonly proposal: Proposal;
}

/** What accepting them one after the other would meet: a later one may be built on an earlier one. */
export async function conflictsAmong(
  desk: ReviewDesk,
  wanted: readonly WantedProposal[],
): Promise<readonly LandConflict[]> {
  const edits: LandableEdit[] = [];
  for (const { proposal, accept } of wanted)
    for (const [at, part] of accept)
      edits.push(await landableOf(desk.proposals, proposal, proposal.edits[at]!, part));
  const [first] = wanted;
  if (!first || edits.length === 0) return [];
  return (await planLanding(edits, desk.open(first.proposal, '').notes)).conflicts;
}

/** All edits that wait, whole. */
export function acceptAll({ edits }: Proposal): Map<number, 'whole'> {
  return new Map(
    [...edits.entries()].flatMap(([at, { state }]) => (state === 'waiting' ? [[at, 'whole']] : [])),
  );
}

async function landableOf(
  proposals: Proposals,
  { id }: Proposal,
  edit: ProposedEdit,
  part: 'whole' | ReadonlySet<number>,
): Promise<LandableEdit> {
  const { kind, path, to, mode } = edit;
  const [before, after, replaced] = await Promise.all(
    [edit.before, edit.after, edit.replaced].map((hash) => proposals.text(id, hash)),
  );
  if (edit.after !== undefined && !after)
    throw new AppError('not_found', 'The proposed text is not there any more', { subject: path });
  const chosen = part === 'whole' || !before || !after ? after : partOf(before, after, part, path);
  return { kind, path, to, mode, before, after: chosen, replaced };
}

function partOf(before: Buffer, after: Buffer, chosen: ReadonlySet<number>, path: string): Buffer {
  const hunks = hunksOf(before.toString(), after.toString());
  if (!hunks || [...chosen].some((at) => hunks[at] === undefined))
    throw new AppError('invalid_input', 'There is no such part of the change', {
      subject: path,
      hint: 'Nothing was changed. Load the page again.',
    });
  return Buffer.from(withHunks(before.toString(), hunks, chosen));
}

/** As far as they are text and kept. */
export async function proposedTexts(
  { proposals }: Pick<ReviewDesk, 'proposals'>,
  { id }: Proposal,
  edit: Pick<ProposedEdit, 'before' | 'after'>,
): Promise<{ readonly before?: string; readonly after?: string }> {
  const [before, after] = await Promise.all(
    [edit.before, edit.after].map(async (hash) => {
      const bytes = await proposals.text(id, hash);
      return bytes && decode(bytes);
    }),
  );
  return { before, after };
}

/** A program that is only allowed to propose anywhere is not trusted to pass on its person's decision either. */
export function mayDecideThrough({ principal }: Caller): boolean {
  return !principal?.scopes.some((scope) => isProposing(principal, scope));
}

function isProposing(principal: Principal, scope: Scope): boolean {
  return mayOnlyPropose(principal, scopeParts(scope)?.notebook);
}

/** The name of the person before the screen of a client. */
export function personAt({ principal, program }: Caller): string {
  if (principal?.kind === 'user') return principal.id.replace(/^user:/, '');
  return `a person in ${program ?? 'a chat'}`;
}

function alreadyDecided(id: string): AppError {
  return new AppError('conflict', 'This proposal is already decided', {
    subject: id,
    hint: 'Nothing was changed. Look at the proposal again.',
  });
}
