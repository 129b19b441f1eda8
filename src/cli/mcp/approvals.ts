/** `quire mcp approvals`: lists, shows, approves, denies and revokes. No tool does this: an assistant never approves its own call. */
import { randomBytes } from 'node:crypto';
import { resolve } from 'node:path';
import {
  type ApprovalAnswer,
  answerApproval,
  ruleThatAsked,
} from '../../governance/approvals/answer-approval.ts';
import {
  APPROVAL_SCOPES,
  APPROVAL_STATES,
  type Approval,
  type ApprovalScope,
  type ApprovalState,
} from '../../governance/approvals/approval.ts';
import { diffDefinitions } from '../../governance/catalog/compare.ts';
import type { Decider } from '../../governance/decider.ts';
import type { Plane } from '../../governance/plane.ts';
import { AppError, isAppError } from '../../shared/errors.ts';
import { fromHome } from '../../shared/fs/folder.ts';
import { printable, printableText } from '../../shared/printable.ts';
import type { SamplingQuestion } from '../../upstream/nested/operator.ts';
import { type Column, tableOf } from '../table.ts';
import {
  choiceOf,
  type McpCall,
  type McpCommand,
  type McpOption,
  type McpOutput,
  plainOutput,
} from './command.ts';
import { McpFailure } from './exit.ts';
import { promptLines } from './operator.ts';
import { confirmed, hashOfKey, KEY_FILE, unconfirmed } from './person.ts';
import { withPlane, writeNewFile } from './plane.ts';

function approvalData(approval: Approval) {
  const time = (at: number | undefined) => (at === undefined ? null : new Date(at).toISOString());
  return {
    id: approval.id,
    kind: approval.kind,
    server: approval.server,
    capability: approval.capability,
    class: approval.class,
    state: approval.state,
    scope: approval.scope ?? null,
    uses_left: approval.usesLeft ?? null,
    args_preview: approval.argsPreview,
    args_digest: approval.argsDigest,
    fingerprint: approval.fingerprint,
    policy_version: approval.policyVersion,
    requested_by: approval.requestedBy,
    created_at: time(approval.createdAt),
    expires_at: time(approval.expiresAt),
    decided_at: time(approval.decidedAt),
    decided_by: approval.decidedBy ?? null,
    note: approval.note ?? null,
  };
}

const ID = { name: 'id', description: 'as the list has it' };
const NOTE = { flag: '--note <text>', description: 'why, for those who read it later' };

const approve: McpCommand = {
  name: 'approve',
  summary: 'let a call through',
  arguments: [ID],
  options: [
    {
      flag: '--scope <scope>',
      description:
        'once: exactly this call; session: any arguments while the caller runs; always: any arguments',
      default: 'once',
      choices: ['once', 'session', 'always'],
    },
    { flag: '--ttl <seconds>', description: 'how long the approval is good for' },
    NOTE,
    KEY_FILE,
  ],
  examples: [['approvals approve <id>', 'exactly this call, once; asks first']],
  run: (call) => {
    const scope = choiceOf('scope', call.options.scope, {
      choices: APPROVAL_SCOPES,
      hint: `Use --scope ${APPROVAL_SCOPES.join(', ')}`,
    });
    const ttlSeconds = ttlOf(call.options.ttl);
    return decideApproval(call, { kind: 'approve', scope, ttlSeconds });
  },
};

function refusal(
  name: 'deny' | 'revoke',
  { summary, examples }: Pick<McpCommand, 'summary' | 'examples'>,
): McpCommand {
  return {
    name,
    summary,
    arguments: [ID],
    options: [NOTE],
    examples,
    run: (call) => decideApproval(call, { kind: name }),
  };
}

const deny = refusal('deny', {
  summary: 'refuse a call that waits',
  examples: [['approvals deny <id> --note "not today"', 'refuse it']],
});

const revoke = refusal('revoke', {
  summary: 'take an approval back that is not used up',
  examples: [['approvals revoke <id>', 'from now on it is asked again']],
});

const keygen: McpCommand = {
  name: 'keygen',
  summary: 'make a key with which a program may approve',
  arguments: [{ name: 'file', description: 'where the key is written; it must not exist yet' }],
  options: [{ flag: '--name <name>', description: 'who it is for', default: 'automation' }],
  examples: [['approvals keygen ci.key --name ci', 'then approve with --key-file ci.key']],
  config: 'optional',
  run: async (call) => {
    const path = resolve(call.workingFolder, fromHome(call.args.file ?? ''));
    const name = String(call.options.name);
    if (!/^[A-Za-z0-9._-]{1,64}$/.test(name))
      throw new AppError('invalid_input', '--name must be 1 to 64 letters, digits, dots, _ or -');
    const key = randomBytes(32).toString('base64url');
    await writeNewFile(path, Buffer.from(`${key}\n`));
    const line = `mcp_approval_keys: { ${name}: "${hashOfKey(key)}" }`;
    call.note('The file is the key: everyone who can read it can approve. Write this under control_plane:');
    return plainOutput({ file: path, name, hash: hashOfKey(key) }, line);
  },
};

const prune: McpCommand = {
  name: 'prune',
  summary: 'forget those that are over',
  examples: [['approvals prune', 'what waits or is still good is kept']],
  run: (call) =>
    withPlane(call, async (plane) => {
      const pruned = await plane.approvals.prune(plane.now());
      return plainOutput({ pruned }, `${pruned} forgotten`);
    }),
};

function decideApproval(call: McpCall, answer: ApprovalAnswer): Promise<McpOutput> {
  return withPlane(call, async (plane) => {
    const id = call.args.id ?? '';
    const decider = { ...(await deciderOf(call, plane, { id, answer })), ...noteOf(call) };
    const approval = await answerApproval(plane, id, answer, decider).catch((error: unknown) => {
      throw isAppError(error, 'conflict') ? asUsage(error) : error;
    });
    const { state, server, capability, scope } = approval;
    const how = state === 'approved' && scope !== undefined ? ` (${scope})` : '';
    const line = `${id} ${state}${how}: ${server} ${printable(capability, 200)}`;
    return plainOutput(approvalData(approval), line);
  });
}

/** A conflict would mean to try again later, which does not help here. */
function asUsage({ message, hint = 'See: quire mcp approvals' }: AppError): McpFailure {
  return new McpFailure('usage', { message, code: 'conflict', hint });
}

/** To take away needs no person. */
async function deciderOf(
  call: McpCall,
  plane: Pick<Plane, 'approvals' | 'config'>,
  { id, answer }: { readonly id: string; readonly answer: ApprovalAnswer },
): Promise<Decider> {
  const approval = await plane.approvals.get(id);
  // What is decided already needs no question: the answer is refused anyway.
  if (answer.kind !== 'approve' || approval.state !== 'pending') return unconfirmed(call);
  const whole = await plane.approvals.argumentsOf(approval);
  return confirmed(call, plane.config, approvalQuestion(approval, answer, whole));
}

export function approvalQuestion(
  approval: Approval,
  { scope = 'once' }: { readonly scope?: ApprovalScope },
  whole: string | undefined,
): string {
  const { server, capability, class: actionClass, argsPreview, requestedBy } = approval;
  const holds = {
    once: 'exactly this call, once',
    session: 'any arguments, while the caller runs',
    always: 'any arguments, always',
  };
  return [
    `${server} ${printable(capability, 200)} (${actionClass}), asked for by ${printable(requestedBy, 100)}`,
    ...(approval.kind === 'sampling'
      ? promptOf(approval)
      : printableText(whole ?? argsPreview)
          .split('\n')
          .map((line) => `  | ${line}`)),
    `Approve it (${holds[scope]})?`,
  ].join('\n');
}

function noteOf({ options: { note } }: McpCall): { note?: string } {
  return typeof note === 'string' ? { note: printable(note, 500) } : {};
}

function ttlOf(given: unknown): number | undefined {
  if (given === undefined) return undefined;
  if (/^\d{1,9}$/.test(String(given))) return Number(given);
  throw new AppError('invalid_input', '--ttl must be a number of seconds');
}

const approvalsShow: McpCommand = {
  name: 'show',
  summary: 'what would be called, with which arguments, and which rule asked',
  arguments: [ID],
  examples: [['approvals show <id>', 'before you approve it']],
  run: (call) =>
    withPlane(call, async (plane) => {
      const approval = await plane.approvals.get(call.args.id ?? '');
      const data = {
        ...approvalData(approval),
        rule: (await ruleThatAsked(plane, approval)) ?? null,
        definition_diff: await diffOf(plane, approval),
      };
      const whole = await plane.approvals.argumentsOf(approval);
      return plainOutput(data, ...linesOf(data), ...promptOf(approval), ...wholeOf(approval, whole));
    }),
};

type ApprovalDetails = ReturnType<typeof approvalData> & { readonly definition_diff: readonly string[] };

/** The difference between the present definition and the accepted one. */
async function diffOf(
  plane: Pick<Plane, 'catalog' | 'snapshots'>,
  { server, capability }: Approval,
): Promise<readonly string[]> {
  const pinned = Object.values((await plane.catalog.pinned(server))?.pins ?? {});
  const pin = pinned.find(({ definition }) => definition.name === capability);
  const seen = (await plane.snapshots.of(server))?.entries ?? [];
  const now = seen.find(
    ({ definition }) => definition.name === capability && definition.kind === pin?.definition.kind,
  );
  if (!pin || !now || pin.fingerprint === now.fingerprint) return [];
  return diffDefinitions(pin.definition, now.definition);
}

/** A prompt is printed on lines of its own, so that the operator reads all of it. */
function promptOf({ kind, argsPreview }: Approval): string[] {
  if (kind !== 'sampling') return [];
  const { systemPrompt, messages, ...settings } = JSON.parse(argsPreview) as SamplingQuestion;
  return [
    'the whole prompt:',
    ...promptLines({ messages, systemPrompt }),
    `settings: ${printable(JSON.stringify(settings))}`,
  ];
}

/** Only where the preview does not have all of them. */
function wholeOf({ argsPreview }: Approval, whole: string | undefined): string[] {
  if (whole === undefined || !argsPreview.includes('…')) return [];
  return ['all arguments:', ...printableText(whole).split('\n')];
}

function linesOf({ definition_diff: diff, ...data }: ApprovalDetails): string[] {
  const facts = Object.entries(data).filter(([name]) => name !== 'args_preview' || data.kind !== 'sampling');
  const width = Math.max(...facts.map(([name]) => name.length));
  return [
    ...facts
      .filter(([, value]) => value !== null)
      .map(([name, value]) => `${name.padEnd(width)}  ${printable(String(value), 5_000)}`),
    ...(diff.length > 0 ? ['the definition has changed since it was accepted:'] : []),
    ...diff.map((line) => `  ${printable(line, 400)}`),
  ];
}

const COLUMNS: readonly Column<Approval>[] = [
  { title: 'Id', value: ({ id }) => id, min: 30, priority: 11 },
  { title: 'Kind', value: ({ kind }) => kind, min: 4, priority: 1 },
  { title: 'Server', value: ({ server }) => server, min: 6, priority: 9 },
  { title: 'Capability', value: ({ capability }) => capability, min: 10, priority: 10 },
  { title: 'Class', value: (one) => one.class, min: 9, priority: 7 },
  { title: 'State', value: ({ state }) => state, min: 8, priority: 8 },
  { title: 'Scope', value: ({ scope = '' }) => scope, min: 5, priority: 3 },
  { title: 'Args', value: ({ argsPreview }) => argsPreview, min: 8, priority: 6 },
  { title: 'Requested', value: ({ createdAt }) => timeText(createdAt), min: 19, priority: 2 },
  { title: 'Expires', value: ({ expiresAt }) => timeText(expiresAt), min: 19, priority: 4 },
  { title: 'By', value: ({ decidedBy, requestedBy }) => decidedBy ?? requestedBy, min: 6, priority: 5 },
];

const STATES = APPROVAL_STATES.join(', ');

const FILTERS: readonly McpOption[] = [
  { flag: '--state <state>', description: `only those that are ${STATES}`, choices: APPROVAL_STATES },
  { flag: '--server <name>', description: 'only those of this server' },
];

const list: McpCommand = {
  name: 'list',
  summary: 'all of them, the newest first',
  options: FILTERS,
  examples: [['approvals list --state pending', 'what waits for an answer']],
  run: listApprovals,
};

export const approvals: McpCommand = {
  name: 'approvals',
  summary: 'see, approve, deny and revoke what calls wait for',
  options: FILTERS,
  examples: [
    ['approvals', 'all of them, the newest first'],
    ['approvals show <id>', 'what would be called, and why it was asked'],
    ['approvals approve <id>', 'let exactly this call through, once'],
    ['approvals deny <id>', 'refuse it'],
  ],
  subcommands: [list, approvalsShow, approve, deny, revoke, prune, keygen],
  run: listApprovals,
};

function listApprovals(call: McpCall): Promise<McpOutput> {
  return withPlane(call, async (plane) => {
    const { server } = call.options;
    const state = stateOf(call.options.state);
    const found = await plane.approvals.list({
      state,
      server: typeof server === 'string' ? plane.server(server).name : undefined,
    });
    if (found.length === 0) call.note('There are none.');
    return {
      data: { approvals: found.map(approvalData) },
      lines: (view) => (found.length === 0 ? { lines: [] } : tableOf(COLUMNS, found, view)),
    };
  });
}

function stateOf(given: unknown): ApprovalState | undefined {
  if (given === undefined) return undefined;
  return choiceOf('state', given, { choices: APPROVAL_STATES, hint: `There are: ${STATES}` });
}

function timeText(at: number | undefined): string {
  return at === undefined ? '' : new Date(at).toISOString().slice(0, 19).replace('T', ' ');
}
