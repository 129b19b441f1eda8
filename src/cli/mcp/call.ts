/**
 * `quire mcp call <server> <capability>`: one call of a tool or prompt, judged, approved and audited like any other. It can
 * be approved on the way: at once with `--yes`, or by another operator within `--wait`.
 */
import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { UpstreamServer } from '../../config/control-plane.ts';
import { answerApproval } from '../../governance/approvals/answer-approval.ts';
import { type CallAnswer, type CallContext, callCapability, decideCall } from '../../governance/call.ts';
import { confinementData, confinementLines } from '../../governance/confinement-view.ts';
import { readNamedFile } from '../../governance/files.ts';
import { type CallRequest, definitionOf } from '../../governance/judge-call.ts';
import type { Plane } from '../../governance/plane.ts';
import { handlingOf } from '../../governance/results/handle.ts';
import type { Decision } from '../../governance/types.ts';
import { AppError, isAppError } from '../../shared/errors.ts';
import { printable, printableText } from '../../shared/printable.ts';
import { recordOf } from '../../shared/records.ts';
import type { Definition } from '../../upstream/definition.ts';
import type { Confinement } from '../../upstream/sandbox/confinement.ts';
import { approvalQuestion } from './approvals.ts';
import {
  choiceOf,
  type McpCall,
  type McpCommand,
  type McpOption,
  type McpOutput,
  numberOf,
  plainOutput,
  SERVER,
} from './command.ts';
import { McpFailure } from './exit.ts';
import { assertPerson, confirmed, KEY_FILE } from './person.ts';
import { noteConfinement, operatorName, readInput, withPlane } from './plane.ts';

const MAX_BYTES = 1_048_576;

export const APPROVAL_OPTIONS: readonly McpOption[] = [
  { flag: '--wait <seconds>', description: 'wait that long for an operator to approve it' },
  { flag: '--yes', description: 'be asked right here, on the terminal; never for what destroys' },
  KEY_FILE,
];

const MAX_WAIT_S = 3_600;
const POLL_MS = 300;

export const call: McpCommand = {
  name: 'call',
  summary: 'call a tool or get a prompt of a server',
  arguments: [SERVER, { name: 'capability', description: 'the name of the tool or prompt' }],
  options: [
    { flag: '--args <json>', description: 'the arguments: JSON, @file, or - for stdin' },
    { flag: '--arg <name=value>', description: 'one argument, over those of --args', repeatable: true },
    { flag: '--kind <kind>', description: 'tool or prompt', default: 'tool', choices: ['tool', 'prompt'] },
    ...APPROVAL_OPTIONS,
    { flag: '--dry-run', description: 'only say what would be decided' },
    { flag: '--verbose', description: 'say what the server runs in: sandbox, folders, network, limits' },
  ],
  examples: [
    ['call memory search_nodes --arg query=tea', 'call a tool'],
    [`call files write_file --args '{"path":"a.md","content":"x"}'`, 'with JSON'],
    ['call memory search_nodes --arg query=tea --dry-run', 'would it be allowed?'],
  ],
  run: (given) => withPlane(given, (plane) => run(plane, given)),
};

async function run(plane: CallContext, given: McpCall): Promise<McpOutput> {
  const bare: CallRequest = {
    server: given.args.server ?? '',
    kind: choiceOf('kind', given.options.kind, {
      choices: ['tool', 'prompt'],
      hint: 'Use --kind tool or --kind prompt. For a resource: quire mcp read-resource <server> <uri>',
    }),
    name: given.args.capability ?? '',
    args: {},
    by: operatorName(),
    signal: given.signal,
    onProgress: ({ progress, total, message = '' }) =>
      given.progress(`${progress}${total === undefined ? '' : ` of ${total}`} ${message}`),
  };
  given.progress(`asking ${bare.server}`);
  const server = plane.server(bare.server);
  const { confinement } = await plane.verdict(server);
  noteConfinement(given, server, confinement);
  if (given.options.verbose === true)
    for (const line of verboseLines(server, confinement)) given.note(`${server.name}: ${line}`);
  const args = await argumentsOf(given, () => definitionOf(plane, bare));
  const request = { ...bare, args, timeoutMs: given.timeoutMs };
  if (given.options.dryRun === true) return decisionOutput(await decideCall(plane, request));
  return answerOutput(await callApproved(plane, request, given), request);
}

function verboseLines({ transport }: UpstreamServer, confinement: Confinement | undefined): string[] {
  if (confinement) return confinementLines(confinement).map((line) => printable(line, 2_000));
  return [transport === 'stdio' ? 'sandbox: it is not started' : 'sandbox: it runs elsewhere'];
}

type JsonObject = Readonly<Record<string, unknown>>;

/** `--args`, overridden by each `--arg`. `definition` is called only where the type of an argument must be known. */
async function argumentsOf(
  { options, workingFolder }: McpCall,
  definition: () => Promise<Definition | undefined>,
): Promise<JsonObject> {
  const whole = await wholeOf(options.args, workingFolder);
  const pairs = ((options.arg ?? []) as readonly string[]).map(pairOf);
  if (pairs.length === 0) return whole;
  const types = typesIn((await definition())?.inputSchema);
  const single = pairs.map(([name, text]) => [name, typed(text, types(name))] as const);
  return { ...whole, ...Object.fromEntries(single) };
}

async function wholeOf(given: unknown, folder: string): Promise<JsonObject> {
  if (typeof given !== 'string') return {};
  const text = await textOf(given, folder);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw notArguments('--args is not JSON', cause);
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as JsonObject;
  throw notArguments('--args is not a JSON object');
}

async function textOf(given: string, folder: string): Promise<string> {
  if (given === '-') return readInput(MAX_BYTES);
  if (!given.startsWith('@')) return given;
  return (await readNamedFile(resolve(folder, given.slice(1)), MAX_BYTES, 'the file')).toString('utf8');
}

function pairOf(text: string): readonly [string, string] {
  const at = text.indexOf('=');
  if (at > 0) return [text.slice(0, at), text.slice(at + 1)];
  throw new AppError('invalid_input', '--arg must be name=value', { subject: printable(text, 40) });
}

function typesIn(schema: unknown): (name: string) => unknown {
  const { properties = {} } = (schema ?? {}) as { properties?: Record<string, { type?: unknown }> };
  return (name) => (Object.hasOwn(properties, name) ? properties[name]?.type : undefined);
}

/** A string where the tool takes one, or where the type is unknown and the text is no JSON. */
function typed(text: string, type: unknown): unknown {
  if (type === 'string') return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function notArguments(title: string, cause?: unknown): AppError {
  return new AppError('invalid_input', title, {
    hint: `For example: --args '{"path":"a.md"}', --args @file.json, --args - for stdin, or --arg path=a.md`,
    cause,
  });
}

function decisionOutput({ outcome, code, rule, reason }: Decision): McpOutput {
  return plainOutput(
    { decision: outcome, code, rule, reason },
    `decision=${outcome} rule=${rule} code=${code}`,
    printable(reason, 500),
  );
}

function answerOutput(answer: CallAnswer, { server, name }: CallRequest): McpOutput {
  const { decision, result, findings, isError, milliseconds, confinement } = answer;
  const failure = new McpFailure('tool_error', {
    message: `The tool failed: ${server} ${printable(name, 200)}`,
  });
  const data = {
    decision: decision.outcome,
    rule: decision.rule,
    is_error: isError,
    ms: Math.round(milliseconds),
    findings,
    confinement: confinementData(confinement),
    result,
  };
  return { ...plainOutput(data, ...resultLines(result)), failure: isError ? failure : undefined };
}

export async function callApproved(
  plane: CallContext,
  request: CallRequest,
  call: McpCall,
): Promise<CallAnswer> {
  const { wait } = call.options;
  const waitMs =
    1000 * (numberOf('--wait', wait, { min: 0, max: MAX_WAIT_S, unit: 'a number of seconds' }) ?? 0);
  const isYes = call.options.yes === true;
  if (isYes) await assertPerson(call, plane.config);
  const answer = await callCapability(plane, request).catch(async (error: unknown) => {
    const id = pendingIn(error);
    if (id !== undefined) await noteClass(plane, request, { id, call });
    if (id === undefined || !(isYes || waitMs > 0)) throw error;
    if (isYes) await approveNow(plane, id, call);
    else await waitFor(plane, id, { waitMs, call });
    return callCapability(plane, request);
  });
  const { outcome, rule, approval = 'none' } = answer.decision;
  call.note(`decision=${outcome} rule=${rule} approval=${approval} ${Math.round(answer.milliseconds)} ms`);
  for (const { severity, code, where, excerpt } of answer.findings)
    call.note(`finding=${code} ${severity} ${printable(where, 100)}: ${printable(excerpt, 200)}`);
  if (!request.unfenced && handlingOf(plane.server(request.server), answer.findings) === 'fence')
    call.note(
      `The result is fenced, because of what was found. To get it as it is, as in earlier versions: results: { on_finding: pass } in the entry of ${request.server}.`,
    );
  return answer;
}

function pendingIn(error: unknown): string | undefined {
  if (!isAppError(error) || error.reason !== 'approval_required') return undefined;
  return typeof error.details.approval === 'string' ? error.details.approval : undefined;
}

/** A server's own word alone makes no tool harmless any more: says how an operator who knows better does. */
async function noteClass(
  plane: CallContext,
  request: CallRequest,
  { id, call }: { readonly id: string; readonly call: McpCall },
): Promise<void> {
  const hints = recordOf((await definitionOf(plane, request))?.annotations);
  const { class: actionClass } = await plane.approvals.get(id);
  if (hints.readOnlyHint !== true || actionClass === 'read_only') return;
  const name = printable(request.name, 100);
  call.note(
    `${request.server} says that ${name} only reads; Quire takes it for ${actionClass}. If you know better: action_classes: { ${name}: read_only } in its entry.`,
  );
}

async function approveNow(plane: CallContext, id: string, call: McpCall): Promise<void> {
  const approval = await plane.approvals.get(id);
  const { class: actionClass, capability } = approval;
  if (actionClass === 'destructive')
    throw new McpFailure('approval_needed', {
      message: `--yes never approves what destroys: ${capability}: ${id}`,
      code: 'approval_required',
      hint: `Look at it with quire mcp approvals show ${id}, approve it with quire mcp approvals approve ${id}, then call again.`,
      details: { approval: id },
    });
  const question = approvalQuestion(approval, { scope: 'once' }, await plane.approvals.argumentsOf(approval));
  const decider = await confirmed(call, plane.config, question);
  await answerApproval(plane, id, { kind: 'approve', scope: 'once' }, { ...decider, note: '--yes' });
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

/** A server's answer for a terminal: its text without escape sequences, and a line for each binary part. */
function resultLines(result: JsonObject): string[] {
  if (result.structuredContent !== undefined)
    return [printableText(JSON.stringify(result.structuredContent, null, 2))];
  if (Array.isArray(result.messages)) return result.messages.flatMap(messageLines);
  return Array.isArray(result.content) ? result.content.map(recordOf).map(blockText) : [];
}

function messageLines(message: unknown): string[] {
  const { role, content } = recordOf(message);
  return [`${printable(String(role), 40)}:`, ...[content].flat().map((block) => blockText(recordOf(block)))];
}

function blockText(block: JsonObject): string {
  if (typeof block.text === 'string') return printableText(block.text);
  if (block.type === 'resource') return blockText(recordOf(block.resource));
  if (block.type === 'resource_link')
    return printable(`[${String(block.name ?? 'resource')}: ${String(block.uri)}]`, 2_000);
  const data = block.data ?? block.blob;
  const bytes = typeof data === 'string' ? Buffer.from(data, 'base64').length : 0;
  const kind = String(block.mimeType ?? block.type ?? 'unknown');
  return printable(`[${kind}, ${bytes} bytes; --json has it]`, 300);
}
