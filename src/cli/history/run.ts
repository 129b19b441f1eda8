/** Runs `quire history`, `quire history show` and `quire undo` from a parsed command line. */
import { parseSince } from '../../history/since.ts';
import { AppError } from '../../shared/errors.ts';
import type { FolderCommand } from '../command.ts';
import { systemTerminal, type Terminal, viewOf } from '../mcp/terminal.ts';
import { timelineJson, timelinesOf, timelineText } from './list.ts';
import { type HistoryScope, openScope } from './scope.ts';
import { findChanges, shownJson, shownText } from './show.ts';
import { plural } from './text.ts';
import { conflictsOf, selectUndo, undoAll, undoJson, undoText } from './undo.ts';

export interface HistoryInput {
  readonly asJson: boolean;
  readonly operands: readonly string[];
  readonly extras: Readonly<Record<string, unknown>>;
}

const USUAL_LIMIT = 50;

export async function listHistory(command: FolderCommand, input: HistoryInput): Promise<void> {
  const { asJson, operands, extras } = input;
  const filter = { since: sinceIn(extras), client: textIn(extras, 'by') };
  const limit = limitIn(extras);
  await withScope(command, input, operands[0], async (scope, terminal) => {
    const most = limit ?? (asJson ? undefined : USUAL_LIMIT);
    const timelines = await timelinesOf(scope, { filter, most });
    await terminal.out(
      asJson
        ? timelineJson(timelines)
        : timelineText(timelines, limit ?? USUAL_LIMIT, viewOf(terminal, false)),
    );
  });
}

export async function showHistory(command: FolderCommand, input: HistoryInput): Promise<void> {
  const { asJson, operands } = input;
  await withScope(command, input, undefined, async (scope, terminal) => {
    const found = await findChanges(scope, operands[0] ?? '');
    await terminal.out(asJson ? await shownJson(found) : await shownText(found, viewOf(terminal, false)));
  });
}

export async function undoHistory(command: FolderCommand, input: HistoryInput): Promise<void> {
  const { asJson, operands, extras } = input;
  const [session, since] = [textIn(extras, 'session'), sinceIn(extras)];
  const filter = session === undefined && since === undefined ? undefined : { session, since };
  const request = { dryRun: extras.dryRun === true, copies: extras.copy === true };
  await withScope(command, input, undefined, async (scope, terminal) => {
    const selected = await selectUndo(scope, { ids: operands, last: extras.last === true, filter });
    const outcomes = await undoAll(selected, request);
    await terminal.out(
      asJson ? undoJson(outcomes, request) : undoText(outcomes, request, viewOf(terminal, false)),
    );
    const { length } = conflictsOf(outcomes);
    if (length > 0)
      throw new AppError('conflict', `${plural(length, 'note')} changed since and cannot be restored`, {
        hint: 'Nothing was changed. With --copy, the old texts are put into new notes beside the present ones.',
      });
  });
}

export async function withScope(
  command: FolderCommand,
  { extras }: HistoryInput,
  named: string | undefined,
  use: (scope: HistoryScope, terminal: Terminal) => Promise<void>,
): Promise<void> {
  const terminal = systemTerminal();
  const scope = await openScope({ ...command, folder: textIn(extras, 'folder') }, named, terminal);
  try {
    await use(scope, terminal);
  } finally {
    await scope.close();
  }
}

export function textIn(extras: HistoryInput['extras'], name: string): string | undefined {
  const value = extras[name];
  if (value === '') throw new AppError('invalid_input', `--${name} must not be empty`);
  return typeof value === 'string' ? value : undefined;
}

function sinceIn(extras: HistoryInput['extras']): number | undefined {
  const text = textIn(extras, 'since');
  return text === undefined ? undefined : parseSince(text);
}

function limitIn(extras: HistoryInput['extras']): number | undefined {
  const text = textIn(extras, 'limit');
  if (text === undefined) return undefined;
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new AppError('invalid_input', '--limit must be a whole number, 1 or more', {
    subject: text.slice(0, 60),
  });
}
