/** `quire mcp call <server> <capability>`: one call of a tool or prompt, judged, approved and audited like any other. */
import { resolve } from 'node:path';
import { type CallAnswer, type CallContext, decideCall } from '../../governance/call.ts';
import { readNamedFile } from '../../governance/files.ts';
import { type CallRequest, definitionOf } from '../../governance/judge-call.ts';
import type { Decision } from '../../governance/types.ts';
import { AppError } from '../../shared/errors.ts';
import { printable } from '../../shared/printable.ts';
import type { Definition } from '../../upstream/definition.ts';
import { APPROVAL_OPTIONS, callApproved, resultLines } from './approved-call.ts';
import type { McpCall, McpCommand, McpOutput } from './command.ts';
import { McpFailure } from './exit.ts';
import { choiceOf, SERVER } from './options.ts';
import { operatorName, readInput, withPlane } from './plane.ts';

const MAX_BYTES = 1_048_576;

export const call: McpCommand = {
  name: 'call',
  summary: 'call a tool or get a prompt of a server',
  arguments: [SERVER, { name: 'capability', description: 'the name of the tool or prompt' }],
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

async function run(plane: CallContext, given: McpCall): Promise<McpOutput> {
  const bare: CallRequest = {
    server: given.args.server ?? '',
    kind: choiceOf('kind', given.options.kind, {
      choices: ['tool', 'prompt'],
      hint: 'Use --kind tool or --kind prompt. For a resource: quire mcp read-resource <server> <uri>',
    }),
    name: given.args.capability ?? '',
    args: {},
    by: operatorName(given),
    signal: given.signal,
    onProgress: ({ progress, total, message = '' }) =>
      given.progress(`${progress}${total === undefined ? '' : ` of ${total}`} ${message}`),
  };
  given.progress(`asking ${bare.server}`);
  const args = await argumentsOf(given, () => definitionOf(plane, bare));
  const request = { ...bare, args, timeoutMs: given.timeoutMs };
  if (given.options.dryRun === true) return decisionOutput(await decideCall(plane, request));
  const answered = await callApproved(plane, request, given);
  return answerOutput(answered, request);
}

type Arguments = Readonly<Record<string, unknown>>;

/** `--args`, overridden by each `--arg`. `definition` is called only where the type of an argument must be known. */
async function argumentsOf(
  { options, workingFolder }: McpCall,
  definition: () => Promise<Definition | undefined>,
): Promise<Arguments> {
  const whole = await wholeOf(options.args, workingFolder);
  const pairs = ((options.arg ?? []) as readonly string[]).map(pairOf);
  if (pairs.length === 0) return whole;
  const types = typesIn((await definition())?.inputSchema);
  const single = pairs.map(([name, text]) => [name, typed(text, types(name))] as const);
  return { ...whole, ...Object.fromEntries(single) };
}

async function wholeOf(given: unknown, folder: string): Promise<Arguments> {
  if (typeof given !== 'string') return {};
  const text = await textOf(given, folder);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw notArguments('--args is not JSON', cause);
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Arguments;
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
  return {
    data: { decision: outcome, code, rule, reason },
    lines: () => ({ lines: [`decision=${outcome} rule=${rule} code=${code}`, printable(reason, 500)] }),
  };
}

function answerData({ decision, result, findings, isError, milliseconds }: CallAnswer) {
  return {
    decision: decision.outcome,
    rule: decision.rule,
    is_error: isError,
    ms: Math.round(milliseconds),
    findings,
    result,
  };
}

function answerOutput(answered: CallAnswer, { server, name }: CallRequest): McpOutput {
  const failure = new McpFailure('tool_error', {
    message: `The tool failed: ${server} ${printable(name, 200)}`,
  });
  return {
    data: answerData(answered),
    lines: () => ({ lines: resultLines(answered.result) }),
    failure: answered.isError ? failure : undefined,
  };
}
