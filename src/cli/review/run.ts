/** Runs `quire review` and its subcommands from a parsed command line. */
import { isWaiting } from '../../history/proposal.ts';
import { AppError } from '../../shared/errors.ts';
import type { FolderCommand } from '../command.ts';
import { type HistoryInput, textIn, withScope } from '../history/run.ts';
import { plural } from '../history/text.ts';
import { viewOf } from '../mcp/terminal.ts';
import { type DecisionRequest, decideAll, decisionJson, decisionText, selectProposals } from './decide.ts';
import { reviewAll } from './interactive.ts';
import { findProposal, listJson, listText, proposalsIn } from './list.ts';
import { shownJson, shownText } from './show.ts';

export async function listReview(command: FolderCommand, input: HistoryInput): Promise<void> {
  const { asJson, operands, extras } = input;
  const isInteractive = extras.interactive === true;
  if (isInteractive && asJson)
    throw new AppError('invalid_input', '--interactive and --json do not go together', {
      hint: 'Leave one of them out.',
    });
  await withScope(command, input, operands[0], async (scope, terminal) => {
    if (scope.path !== undefined && scope.path !== '')
      throw new AppError('not_found', 'No such notebook', {
        subject: scope.path,
        hint: `Notebooks: ${[...scope.notebooks, ...scope.others].map(({ name }) => name).join(', ')}.`,
      });
    const all = await proposalsIn(scope);
    const view = viewOf(terminal, false);
    if (isInteractive) {
      if (!terminal.canAsk) throw noTerminal();
      const waiting = all.filter(({ proposal }) => isWaiting(proposal)).reverse();
      const count = await reviewAll(waiting, terminal, view);
      await terminal.out(`\n${plural(count, 'proposal')} of ${waiting.length} decided.\n`);
      return;
    }
    const shown = all.filter(({ proposal }) => isWaiting(proposal) !== (extras.decided === true));
    await terminal.out(asJson ? listJson(shown) : listText(shown, view));
  });
}

function noTerminal(): AppError {
  return new AppError('unsupported', '--interactive needs a terminal to ask at', {
    hint: 'Use quire review show, accept and reject, which ask nothing.',
  });
}

export async function showReview(command: FolderCommand, input: HistoryInput): Promise<void> {
  const { asJson, operands } = input;
  await withScope(command, input, undefined, async (scope, terminal) => {
    const found = await findProposal(scope, operands[0] ?? '');
    await terminal.out(asJson ? await shownJson(found) : await shownText(found, viewOf(terminal, false)));
  });
}

export async function decideReview(
  command: FolderCommand,
  input: HistoryInput,
  action: DecisionRequest['action'],
): Promise<void> {
  const { asJson, operands, extras } = input;
  const request: DecisionRequest = {
    action,
    ids: operands,
    all: extras.all === true,
    parts: Array.isArray(extras.part) ? extras.part.map(String) : [],
    comment: textIn(extras, 'comment'),
  };
  await withScope(command, input, undefined, async (scope, terminal) => {
    const outcome = await decideAll(await selectProposals(scope, request));
    await terminal.out(asJson ? decisionJson(outcome) : decisionText(outcome, viewOf(terminal, false)));
    const { length } = outcome.conflicts;
    const done = outcome.decided.length;
    const what =
      done === 0 ? 'Nothing was changed.' : `Only the first ${plural(done, 'proposal')} took effect.`;
    if (length > 0)
      throw new AppError('conflict', `${plural(length, 'note')} changed since and cannot be accepted`, {
        hint: `${what} Reject the proposal with a comment, or change the note and accept it then.`,
      });
  });
}
