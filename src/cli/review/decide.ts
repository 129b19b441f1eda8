/** `quire review accept` and `reject`: all that is asked for, or nothing. */
import { acceptAll, conflictsAmong, decide } from '../../app/review.ts';
import { excerptsOf } from '../../history/edit-texts.ts';
import type { LandConflict } from '../../history/land.ts';
import type { Verdict } from '../../history/proposal.ts';
import { describeEdit, isWaiting, type Proposal } from '../../history/proposal.ts';
import { AppError } from '../../shared/errors.ts';
import { printable } from '../../shared/printable.ts';
import type { HistoryScope } from '../history/scope.ts';
import { bold } from '../history/text.ts';
import { terminalUser } from '../history/undo.ts';
import { cutTo, type View } from '../table.ts';
import { type FoundProposal, findProposal, proposalJson, proposalsIn } from './list.ts';

export interface DecisionRequest {
  readonly action: 'accept' | 'reject';
  readonly ids: readonly string[];
  readonly all: boolean;
  /** Notes or parts of notes of a single proposal: `2`, `1.3`. */
  readonly parts: readonly string[];
  readonly comment?: string;
}

export interface DecidedProposal extends FoundProposal {
  readonly verdict: Verdict;
}

export interface DecisionOutcome {
  readonly decided: readonly DecidedProposal[];
  /** Where there are any, nothing was decided. */
  readonly conflicts: readonly (LandConflict & { readonly id?: string })[];
}

/** The oldest first: a later proposal may be built on an earlier one. */
export async function selectProposals(
  scope: HistoryScope,
  { action, ids, all, parts, comment }: DecisionRequest,
): Promise<DecidedProposal[]> {
  if (all === ids.length > 0)
    throw new AppError('invalid_input', all ? 'Give ids or --all, not both' : 'No proposal is named', {
      hint: 'Give ids of proposals, or --all. quire review lists them.',
    });
  if (parts.length > 0 && ids.length !== 1)
    throw new AppError('invalid_input', '--part works with one proposal at a time', {
      hint: `Give one id in front of it: quire review ${action} <id> --part 1.2`,
    });
  const found = all
    ? (await proposalsIn(scope)).filter(({ proposal }) => isWaiting(proposal))
    : await Promise.all([...new Set(ids)].map((id) => findProposal(scope, id)));
  if (found.length === 0) throw new AppError('not_found', 'No proposal waits');
  for (const { proposal } of found) if (!isWaiting(proposal)) throw decidedAlready(proposal);
  return found
    .sort((a, b) => a.proposal.at - b.proposal.at || (a.proposal.id < b.proposal.id ? -1 : 1))
    .map((one) => ({ ...one, verdict: { ...verdictOf(one.proposal, action, parts), comment } }));
}

function verdictOf(proposal: Proposal, action: DecisionRequest['action'], parts: readonly string[]): Verdict {
  const waiting = acceptAll(proposal);
  if (action === 'reject')
    return { accept: new Map(), reject: parts.length === 0 ? [...waiting.keys()] : notesIn(parts, proposal) };
  if (parts.length === 0) return { accept: waiting, reject: [] };
  const accept = new Map<number, 'whole' | Set<number>>();
  for (const { note, hunk } of parts.map((part) => parsePart(part, proposal))) {
    const known = accept.get(note);
    if (hunk === undefined) accept.set(note, 'whole');
    else if (known !== 'whole') accept.set(note, (known ?? new Set()).add(hunk));
  }
  return { accept, reject: [] };
}

function notesIn(parts: readonly string[], proposal: Proposal): number[] {
  return parts.map((part) => {
    const { note, hunk } = parsePart(part, proposal);
    if (hunk === undefined) return note;
    throw new AppError('invalid_input', 'Only whole notes can be rejected', {
      subject: part,
      hint: 'Accept the other parts of the note: those that are not accepted are rejected.',
    });
  });
}

function parsePart(text: string, { id, edits }: Proposal): { note: number; hunk?: number } {
  const { 1: note, 2: hunk } = /^([1-9]\d{0,4})(?:\.([1-9]\d{0,5}))?$/.exec(text) ?? [];
  if (note === undefined || edits[Number(note) - 1]?.state !== 'waiting')
    throw new AppError('invalid_input', 'The proposal has no such part waiting for a decision', {
      subject: text.slice(0, 60),
      hint: `A part is the number of a note, or of a place in it: 1, 1.2. quire review show ${id} numbers them.`,
    });
  return { note: Number(note) - 1, hunk: hunk === undefined ? undefined : Number(hunk) - 1 };
}

function decidedAlready({ id, decisions }: Proposal): AppError {
  const last = decisions.at(-1);
  return new AppError('invalid_input', 'This proposal is already decided', {
    subject: id,
    hint: `Nothing was changed. It was ${last?.outcome} by ${last?.by}. What was accepted can be undone with quire undo.`,
  });
}

export async function decideAll(wanted: readonly DecidedProposal[]): Promise<DecisionOutcome> {
  const conflicts: LandConflict[] = [];
  for (const notebook of new Set(wanted.map((one) => one.notebook))) {
    const own = wanted.filter((one) => one.notebook === notebook);
    const accepted = own.map(({ proposal, verdict: { accept } }) => ({ proposal, accept }));
    if (accepted.some(({ accept }) => accept.size > 0))
      conflicts.push(...(await conflictsAmong(await notebook.desk(), accepted)));
  }
  if (conflicts.length > 0) return { decided: [], conflicts };
  const decided: DecidedProposal[] = [];
  for (const { notebook, proposal, verdict } of wanted) {
    const outcome = await decide(await notebook.desk(), proposal.id, verdict, terminalUser().principal.id);
    // Somebody has changed the notes since they were looked at.
    if (outcome.conflicts.length > 0) return { decided, conflicts: outcome.conflicts };
    decided.push({ notebook, proposal: outcome.proposal, verdict });
  }
  return { decided, conflicts: [] };
}

export function decisionJson({ decided, conflicts }: DecisionOutcome): string {
  const text = (bytes: Uint8Array | undefined) => bytes && Buffer.from(bytes).toString();
  return `${JSON.stringify(
    {
      decided: decided.map(proposalJson),
      conflicts: conflicts.map(({ path, reason, current }) => ({ path, reason, current: text(current) })),
    },
    null,
    2,
  )}\n`;
}

export function decisionText({ decided, conflicts }: DecisionOutcome, view: View): string {
  const lines = decided.flatMap(({ proposal, verdict: { accept } }) => {
    const decision = proposal.decisions.at(-1);
    const verb = accept.size === 0 ? 'Rejected' : 'Accepted';
    const change = decision?.change ?? proposal.decisions.findLast((one) => one.change)?.change;
    return [
      bold(`${verb} ${proposal.id}`, view),
      ...proposal.edits.map((edit) =>
        cutTo(`  ${printable(`${edit.state}: ${describeEdit(edit)}`)}`, view.width),
      ),
      ...(accept.size === 0 || change === undefined
        ? []
        : [`Recorded as ${change}; quire undo ${change} takes it back.`]),
    ];
  });
  return `${[...lines, ...conflicts.flatMap((conflict) => conflictLines(conflict, view))].join('\n')}\n`;
}

/** Lines of the note as it is now that are shown. */
const SHOWN = 6;

export function conflictLines({ path, reason, current }: LandConflict, view: View): string[] {
  const [now] = excerptsOf([current], SHOWN).texts;
  return [
    cutTo(`  ${printable(`cannot be accepted: ${path}. ${reason}`)}`, view.width),
    ...(now === undefined
      ? []
      : ['    now:', ...now.split('\n').map((line) => cutTo(`      | ${printable(line)}`, view.width))]),
  ];
}
