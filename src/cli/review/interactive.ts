/** `quire review --interactive`: one proposal after another, and each part of it, asked at the terminal. */
import { decide } from '../../app/review.ts';
import type { Verdict } from '../../history/proposal.ts';
import { isAppError } from '../../shared/errors.ts';
import { printable } from '../../shared/printable.ts';
import { terminalUser } from '../history/undo.ts';
import type { Terminal } from '../mcp/terminal.ts';
import type { View } from '../table.ts';
import { conflictLines, decisionText } from './decide.ts';
import type { FoundProposal } from './list.ts';
import { type EditView, editTitle, editViews, headLines, partLines, wholeLines } from './show.ts';

type Answer = 'accept' | 'reject' | 'skip' | 'quit';

const QUESTION = '[a]ccept, [r]eject, [s]kip this note, [q]uit? ';
const ANSWERS: Readonly<Record<string, Answer>> = { a: 'accept', r: 'reject', s: 'skip', q: 'quit' };

/** The oldest first. Returns how many were decided. */
export async function reviewAll(
  waiting: readonly FoundProposal[],
  terminal: Pick<Terminal, 'out' | 'ask'>,
  view: View,
): Promise<number> {
  let count = 0;
  for (const found of waiting) {
    await terminal.out(`\n${headLines(found, view).join('\n')}\n`);
    const verdict = await verdictAt(terminal, await editViews(found), view);
    if (verdict === 'quit') break;
    if (verdict.accept.size + verdict.reject.length === 0) continue;
    const comment = await terminal.ask('Comment for the assistant (empty for none): ');
    if (comment === undefined) break;
    if (await carryOut(found, { ...verdict, comment }, terminal, view)) count += 1;
  }
  return count;
}

async function verdictAt(
  terminal: Pick<Terminal, 'out' | 'ask'>,
  edits: readonly EditView[],
  view: View,
): Promise<Verdict | 'quit'> {
  const accept = new Map<number, 'whole' | Set<number>>();
  const reject: number[] = [];
  for (const one of edits) {
    if (one.edit.state !== 'waiting') continue;
    await terminal.out(`\n${editTitle(one, view)}\n`);
    const part = await partAt(terminal, one, view);
    if (part === 'quit') return 'quit';
    if (part === 'reject') reject.push(one.number - 1);
    else if (part !== 'skip') accept.set(one.number - 1, part);
  }
  return { accept, reject };
}

async function partAt(
  terminal: Pick<Terminal, 'out' | 'ask'>,
  one: EditView,
  view: View,
): Promise<'whole' | Set<number> | Exclude<Answer, 'accept'>> {
  const { hunks } = one;
  if (!hunks) {
    await terminal.out(`${wholeLines(one, view).join('\n')}\n`);
    const answer = await answerOn(terminal);
    return answer === 'accept' ? 'whole' : answer;
  }
  const accepted = new Set<number>();
  for (const at of hunks.keys()) {
    await terminal.out(`${partLines(one, at, view).join('\n')}\n`);
    const answer = await answerOn(terminal);
    // A decision on a note is final: one of which a part is left open waits whole.
    if (answer === 'quit' || answer === 'skip') return answer;
    if (answer === 'accept') accepted.add(at);
  }
  if (accepted.size === 0) return 'reject';
  return accepted.size === hunks.length ? 'whole' : accepted;
}

async function answerOn({ ask }: Pick<Terminal, 'ask'>): Promise<Answer> {
  for (;;) {
    const line = await ask(QUESTION);
    if (line === undefined) return 'quit';
    const answer = ANSWERS[line.trim().toLowerCase().charAt(0)];
    if (answer) return answer;
  }
}

async function carryOut(
  { notebook, proposal }: FoundProposal,
  verdict: Verdict,
  { out }: Pick<Terminal, 'out'>,
  view: View,
): Promise<boolean> {
  try {
    const outcome = await decide(await notebook.desk(), proposal.id, verdict, terminalUser().principal.id);
    if (outcome.conflicts.length === 0) {
      await out(decisionText({ decided: [{ notebook, ...outcome, verdict }], conflicts: [] }, view));
      return true;
    }
    const lines = outcome.conflicts.flatMap((conflict) => conflictLines(conflict, view));
    await out(`Nothing was changed: it waits on.\n${lines.join('\n')}\n`);
  } catch (error) {
    // Somebody else has decided meanwhile, or the store cannot be reached: the next one may go well.
    if (!isAppError(error)) throw error;
    await out(printable(`${error.message}. ${error.hint ?? ''}`).concat('\n'));
  }
  return false;
}
