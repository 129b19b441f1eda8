/**
 * A call that can be approved on the way: at once with `--yes`, or by another operator within `--wait`. The decision and
 * the findings are noted on stderr, and the answer is made fit for a terminal.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { type CallAnswer, type CallContext, callCapability } from '../../governance/call.ts';
import type { CallRequest } from '../../governance/judge-call.ts';
import type { Plane } from '../../governance/plane.ts';
import { isAppError } from '../../shared/errors.ts';
import { printable, printableText } from '../../shared/printable.ts';
import { recordOf } from '../../shared/records.ts';
import type { McpCall, McpOption } from './command.ts';
import { McpFailure } from './exit.ts';
import { numberOf } from './options.ts';
import { operatorName } from './plane.ts';

export const APPROVAL_OPTIONS: readonly McpOption[] = [
  { flag: '--wait <seconds>', description: 'wait that long for an operator to approve it' },
  { flag: '--yes', description: 'approve it once yourself; only on a terminal, never what destroys' },
];

const MAX_WAIT_S = 3_600;
const POLL_MS = 300;

export async function callApproved(
  plane: CallContext,
  request: CallRequest,
  call: McpCall,
): Promise<CallAnswer> {
  const { wait } = call.options;
  const waitMs =
    1000 * (numberOf('--wait', wait, { min: 0, max: MAX_WAIT_S, unit: 'a number of seconds' }) ?? 0);
  const isYes = call.options.yes === true;
  if (isYes && !call.canAsk)
    throw new McpFailure('usage', {
      message: '--yes is for a terminal only',
      hint: 'Leave it out; then approve the id that is printed: quire mcp approvals approve <id>',
    });
  const answer = await callCapability(plane, request).catch(async (error: unknown) => {
    const id = pendingIn(error);
    if (id === undefined || !(isYes || waitMs > 0)) throw error;
    if (isYes) await approveNow(plane, id, call);
    else await waitFor(plane, id, { waitMs, call });
    return callCapability(plane, request);
  });
  call.note(decisionLine(answer));
  for (const { severity, code, where, excerpt } of answer.findings)
    call.note(`finding=${code} ${severity} ${printable(where, 100)}: ${printable(excerpt, 200)}`);
  return answer;
}

function decisionLine({ decision, milliseconds }: CallAnswer): string {
  const { approval = 'none' } = decision;
  return `decision=${decision.outcome} rule=${decision.rule} approval=${approval} ${Math.round(milliseconds)} ms`;
}

function pendingIn(error: unknown): string | undefined {
  if (!isAppError(error) || error.reason !== 'approval_required') return undefined;
  return typeof error.details.approval === 'string' ? error.details.approval : undefined;
}

async function approveNow({ approvals }: Pick<Plane, 'approvals'>, id: string, call: McpCall): Promise<void> {
  const { class: actionClass, capability } = await approvals.get(id);
  if (actionClass === 'destructive')
    throw new McpFailure('approval_needed', {
      message: `--yes never approves what destroys: ${capability}: ${id}`,
      code: 'approval_required',
      hint: `Look at it with quire mcp approvals show ${id}, approve it with quire mcp approvals approve ${id}, then call again.`,
      details: { approval: id },
    });
  await approvals.approve(id, { by: operatorName(call), scope: 'once', note: '--yes' });
}

/** Ends when the approval is decided or the time is over; the call that follows reports which. */
async function waitFor(
  { approvals }: Pick<Plane, 'approvals'>,
  id: string,
  { waitMs, call }: { waitMs: number; call: McpCall },
): Promise<void> {
  await call.tell(`Waiting for an approval: quire mcp approvals approve ${id}`);
  const until = performance.now() + waitMs;
  while (performance.now() < until && (await approvals.get(id)).state === 'pending')
    await sleep(Math.max(1, Math.min(POLL_MS, until - performance.now())), undefined, {
      signal: call.signal,
    });
}

type Fields = Readonly<Record<string, unknown>>;

/** A server's answer for a terminal: its text without escape sequences, and a line for each binary part. */
export function resultLines(result: Fields): string[] {
  if (result.structuredContent !== undefined)
    return [printableText(JSON.stringify(result.structuredContent, null, 2))];
  if (Array.isArray(result.messages)) return result.messages.flatMap(messageLines);
  return blocksOf(result.content).map(blockText);
}

function messageLines(message: unknown): string[] {
  const { role, content } = recordOf(message);
  return [`${printable(String(role), 40)}:`, ...[content].flat().map((block) => blockText(recordOf(block)))];
}

function blocksOf(content: unknown): Fields[] {
  return Array.isArray(content) ? content.map(recordOf) : [];
}

function blockText(block: Fields): string {
  if (typeof block.text === 'string') return printableText(block.text);
  if (block.type === 'resource') return blockText(recordOf(block.resource));
  if (block.type === 'resource_link')
    return printable(`[${String(block.name ?? 'resource')}: ${String(block.uri)}]`, 2_000);
  const data = block.data ?? block.blob;
  const bytes = typeof data === 'string' ? Buffer.from(data, 'base64').length : 0;
  const kind = String(block.mimeType ?? block.type ?? 'unknown');
  return printable(`[${kind}, ${bytes} bytes; --json has it]`, 300);
}
