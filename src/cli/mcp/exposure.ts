/** `quire mcp exposure`: what is offered to whom, and why the rest is not. Starts no server. */
import type { Exposure } from '../../governance/exposure.ts';
import { type ExposureProfile, exposureFor, posturesOf } from '../../governance/posture.ts';
import { AppError } from '../../shared/errors.ts';
import { printable } from '../../shared/printable.ts';
import { type Column, tableOf } from '../table.ts';
import type { McpCommand } from './command.ts';
import { withPlane } from './plane.ts';

const COLUMNS: readonly Column<Exposure>[] = [
  { title: 'Capability', value: ({ name }) => name, min: 20, priority: 7 },
  { title: 'Kind', value: ({ candidate }) => candidate.entry.definition.kind, priority: 2 },
  { title: 'Class', value: ({ candidate }) => candidate.class, min: 9, priority: 3 },
  { title: 'Visible', value: ({ isVisible }) => (isVisible ? 'yes' : 'no'), priority: 5 },
  { title: 'Effect', value: ({ candidate }) => candidate.decision.outcome, priority: 4 },
  { title: 'Score', value: ({ candidate }) => String(candidate.server.score), priority: 1, align: 'right' },
  { title: 'Reason', value: ({ reason }) => reason, min: 12, priority: 6 },
];

export const exposure: McpCommand = {
  name: 'exposure',
  summary: 'which tools, resources and prompts are offered, and why others are not',
  options: [
    {
      flag: '--profile <who>',
      description: 'agent: who calls our own endpoint; local: who calls from here',
      default: 'agent',
    },
    { flag: '--server <name>', description: 'only what this server offers' },
    { flag: '--all', description: 'what is hidden too, with the reason' },
  ],
  examples: [
    ['exposure', 'what agents see'],
    ['exposure --all --server memory', 'all that one server offers, and why some of it is hidden'],
    ['exposure --profile local', 'what may be called from here'],
  ],
  config: 'needed',
  run: (call) =>
    withPlane(call, async (plane) => {
      const profile = profileOf(call.options.profile);
      const named = call.options.server;
      const server = typeof named === 'string' ? plane.server(named).name : undefined;
      const postures = await posturesOf(plane);
      // The budget is for all servers, whichever is looked at.
      const all = exposureFor(plane, postures, profile).filter(
        ({ candidate }) => server === undefined || candidate.entry.server === server,
      );
      const visible = all.filter(({ isVisible }) => isVisible);
      const shown = call.options.all === true ? all : visible;
      for (const { server: one, seenAt } of postures)
        if (seenAt === undefined && one.enabled && (server === undefined || one.name === server))
          call.note(
            `${one.name} was never asked what it offers. Run: ${call.program} mcp discover ${one.name}`,
          );
      return {
        data: {
          profile,
          visible: visible.length,
          hidden: all.length - visible.length,
          capabilities: shown.map(dataOf),
        },
        lines: (view) => {
          const { lines, hidden } = tableOf(COLUMNS, shown, view);
          const more =
            call.options.all === true || all.length === visible.length ? '' : ' (--all shows them)';
          const footer = `profile: ${profile}, visible: ${visible.length}, hidden: ${all.length - visible.length}${more}`;
          return { lines: [...(shown.length > 0 ? lines : []), footer], hidden };
        },
      };
    }),
};

function profileOf(given: unknown): ExposureProfile {
  if (given === 'agent' || given === 'local') return given;
  throw new AppError('invalid_input', 'Unknown profile', {
    subject: printable(String(given), 40),
    hint: 'Use --profile agent or --profile local.',
  });
}

function dataOf({ name, candidate, isVisible, reason, needsApproval }: Exposure) {
  const { entry, decision, server } = candidate;
  return {
    capability: name,
    server: entry.server,
    kind: entry.definition.kind,
    class: candidate.class,
    visible: isVisible,
    effect: decision.outcome,
    needs_approval: needsApproval,
    score: server.score,
    reason,
  };
}
