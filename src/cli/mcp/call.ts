/** `quire mcp call <server> <capability>`: one call of a tool or prompt, decided, approved and written down like any other. */
import { type Answered, type CallRequest, decideCall, definitionOf } from '../../governance/call.ts';
import type { Plane } from '../../governance/plane.ts';
import type { Decision } from '../../governance/types.ts';
import { AppError } from '../../shared/errors.ts';
import { printable } from '../../shared/printable.ts';
import { APPROVAL_OPTIONS, callApproved } from './approved-call.ts';
import { argumentsOf } from './arguments.ts';
import type { McpCall, McpCommand, McpOutput } from './command.ts';
import { resultLines } from './content.ts';
import { McpFailure } from './exit.ts';
import { operatorName, withPlane } from './plane.ts';

export const call: McpCommand = {
  name: 'call',
  summary: 'call a tool or get a prompt of a server',
  arguments: [
    { name: 'server', description: 'its name in the configuration' },
    { name: 'capability', description: 'the name of the tool or prompt' },
  ],
  options: [
    { flag: '--args <json>', description: 'the arguments: JSON, @file, or - for stdin' },
    { flag: '--arg <name=value>', description: 'one argument, over those of --args', repeatable: true },
    { flag: '--kind <kind>', description: 'tool or prompt', default: 'tool' },
    ...APPROVAL_OPTIONS,
    { flag: '--dry-run', description: 'only say what would be decided' },
  ],
  examples: [
    ['call memory search_nodes --arg query=tea', 'call a tool'],
    [`call files write_file --args '{"path":"a.md","content":"x"}'`, 'with JSON'],
    ['call memory search_nodes --arg query=tea --dry-run', 'would it be allowed?'],
  ],
  config: 'needed',
  run: (given) => withPlane(given, (plane) => run(plane, given)),
};

async function run(plane: Plane, given: McpCall): Promise<McpOutput> {
  const bare: CallRequest = {
    server: given.args.server ?? '',
    kind: kindOf(given.options.kind),
    name: given.args.capability ?? '',
    args: {},
    by: operatorName(given),
    signal: given.signal,
    onProgress: ({ progress, total, message = '' }) =>
      given.progress(`${progress}${total === undefined ? '' : ` of ${total}`} ${message}`),
  };
  given.progress(`asking ${bare.server}`);
  const args = await argumentsOf(given, () => definitionOf(plane, bare));
  const request = { ...bare, args, ...(given.timeoutMs !== undefined && { timeoutMs: given.timeoutMs }) };
  if (given.options.dryRun === true) return decisionOutput(await decideCall(plane, request));
  const answered = await callApproved(plane, request, given);
  given.note(decisionLine(answered));
  noteFindings(answered, given);
  return answerOutput(answered, request);
}

function kindOf(kind: unknown): 'tool' | 'prompt' {
  if (kind === 'tool' || kind === 'prompt') return kind;
  throw new AppError('invalid_input', 'Unknown kind', {
    subject: printable(String(kind), 40),
    hint: 'Use --kind tool or --kind prompt. For a resource: quire mcp read-resource <server> <uri>',
  });
}

function decisionOutput({ outcome, code, rule, reason }: Decision): McpOutput {
  return {
    data: { decision: outcome, code, rule, reason },
    lines: () => ({ lines: [`decision=${outcome} rule=${rule} code=${code}`, printable(reason, 500)] }),
  };
}

export function decisionLine({ decision, milliseconds }: Answered): string {
  const approval = decision.rule.startsWith('approval:') ? decision.rule.slice('approval:'.length) : 'none';
  return `decision=${decision.outcome} rule=${decision.rule} approval=${approval} ${Math.round(milliseconds)} ms`;
}

/** Nothing is silently edited: what was taken out or looks like a trap is said. */
export function noteFindings({ findings }: Answered, { note }: McpCall): void {
  for (const { severity, code, where, excerpt } of findings)
    note(`finding=${code} ${severity} ${printable(where, 100)}: ${printable(excerpt, 200)}`);
}

export function answerData({ decision, result, findings, isError, milliseconds }: Answered) {
  return {
    decision: decision.outcome,
    rule: decision.rule,
    is_error: isError,
    ms: Math.round(milliseconds),
    findings,
    result,
  };
}

function answerOutput(answered: Answered, { server, name }: CallRequest): McpOutput {
  const failure = new McpFailure('tool_error', {
    message: `The tool failed: ${server} ${printable(name, 200)}`,
  });
  return {
    data: answerData(answered),
    lines: () => ({ lines: resultLines(answered.result) }),
    ...(answered.isError && { failure }),
  };
}
