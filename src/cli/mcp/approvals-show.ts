/** `quire mcp approvals show <id>`: everything there is to know before a yes. */
import type { Approval } from '../../governance/approvals/approval.ts';
import { diffDefinitions } from '../../governance/catalog/diff.ts';
import type { SamplingQuestion } from '../../governance/connect/nested/operator.ts';
import type { Plane } from '../../governance/plane.ts';
import { printable } from '../../shared/printable.ts';
import { approvalData } from './approval-data.ts';
import type { McpCommand } from './command.ts';
import { promptLines } from './operator.ts';
import { withPlane } from './plane.ts';

export const approvalsShow: McpCommand = {
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
async function ruleOf(plane: Plane, { id, createdAt }: Approval): Promise<string | undefined> {
  for await (const event of plane.audit.read({ since: createdAt }))
    if (event.event === 'decided' && event.approval === id && event.outcome === 'ask') return event.rule;
  return undefined;
}

/** What is different now from what was accepted. */
async function diffOf(plane: Plane, { server, capability }: Approval): Promise<readonly string[]> {
  const pinned = Object.values((await plane.catalog.pinned(server))?.pins ?? {});
  const pin = pinned.find(({ definition }) => definition.name === capability);
  const seen = (await plane.lastSeen.of(server))?.entries ?? [];
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
    ...promptLines({ messages, ...(systemPrompt !== undefined && { systemPrompt }) }),
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
