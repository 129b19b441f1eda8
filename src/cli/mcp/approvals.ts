/** `quire mcp approvals`: what waits for a yes, and what became of the rest. */
import type { Approval, ApprovalState } from '../../governance/approvals/approval.ts';
import { diffDefinitions } from '../../governance/catalog/compare.ts';
import type { Plane } from '../../governance/plane.ts';
import { printable } from '../../shared/printable.ts';
import type { SamplingQuestion } from '../../upstream/nested/operator.ts';
import { type Column, tableOf } from '../table.ts';
import { approvalData, approve, deny, prune, revoke } from './approvals-decide.ts';
import { choiceOf } from './choice.ts';
import type { McpCall, McpCommand, McpOption, McpOutput } from './command.ts';
import { promptLines } from './operator.ts';
import { withPlane } from './plane.ts';

const approvalsShow: McpCommand = {
  name: 'show',
  summary: 'what would be called, with which arguments, and which rule asked',
  arguments: [{ name: 'id', description: 'as the list has it' }],
  examples: [['approvals show <id>', 'before you approve it']],
  config: 'needed',
  run: (call) =>
    withPlane(call, async (plane) => {
      const approval = await plane.approvals.get(call.args.id ?? '');
      const data = {
        ...approvalData(approval),
        rule: (await ruleOf(plane, approval)) ?? null,
        definition_diff: await diffOf(plane, approval),
      };
      return { data, lines: () => ({ lines: [...linesOf(factsOf(data)), ...promptOf(approval)] }) };
    }),
};

/** Which rule asked for it, as the audit log has it. */
async function ruleOf(
  { audit }: Pick<Plane, 'audit'>,
  { id, createdAt }: Approval,
): Promise<string | undefined> {
  for await (const event of audit.read({ since: createdAt }))
    if (event.event === 'decided' && event.approval === id && event.outcome === 'ask') return event.rule;
  return undefined;
}

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

/** A prompt has lines of its own, so that all of it is read. */
function factsOf(data: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  if (data.kind !== 'sampling') return data;
  const { args_preview: _, ...facts } = data;
  return facts;
}

function promptOf({ kind, argsPreview }: Approval): string[] {
  if (kind !== 'sampling') return [];
  const { systemPrompt, messages, ...settings } = JSON.parse(argsPreview) as SamplingQuestion;
  return [
    'the whole prompt:',
    ...promptLines({ messages, systemPrompt }),
    `settings: ${printable(JSON.stringify(settings))}`,
  ];
}

function linesOf(data: Readonly<Record<string, unknown>>): string[] {
  const { definition_diff: diff, ...facts } = data;
  const width = Math.max(...Object.keys(facts).map((name) => name.length));
  return [
    ...Object.entries(facts)
      .filter(([, value]) => value !== null)
      .map(([name, value]) => `${name.padEnd(width)}  ${printable(String(value), 5_000)}`),
    ...(Array.isArray(diff) && diff.length > 0 ? ['the definition has changed since it was accepted:'] : []),
    ...(Array.isArray(diff) ? diff.map((line) => `  ${printable(String(line), 400)}`) : []),
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

const STATES: readonly ApprovalState[] = [
  'pending',
  'approved',
  'consumed',
  'expired',
  'revoked',
  'denied',
  'superseded',
];

const FILTERS: readonly McpOption[] = [
  { flag: '--state <state>', description: `only those that are ${STATES.join(', ')}` },
  { flag: '--server <name>', description: 'only those of this server' },
];

const list: McpCommand = {
  name: 'list',
  summary: 'all of them, the newest first',
  options: FILTERS,
  examples: [['approvals list --state pending', 'what waits for an answer']],
  config: 'needed',
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
  config: 'needed',
  subcommands: [list, approvalsShow, approve, deny, revoke, prune],
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
  return choiceOf('state', given, { choices: STATES, hint: `There are: ${STATES.join(', ')}` });
}

function timeText(at: number | undefined): string {
  return at === undefined ? '' : new Date(at).toISOString().slice(0, 19).replace('T', ' ');
}
