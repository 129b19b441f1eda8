/** `quire mcp consent`: who agreed to each server, and the way to agree or to withdraw it. No server is started. */
import type { UpstreamServer } from '../../config/control-plane.ts';
import { lastConsents, withConsent } from '../../governance/consent.ts';
import { replaceText } from '../../governance/marketplace/marketplace.ts';
import { switchServer } from '../../governance/switch-server.ts';
import { printable } from '../../shared/printable.ts';
import { type Column, tableOf } from '../table.ts';
import { withCandidate } from './candidate.ts';
import { type McpCall, type McpCommand, type McpOutput, ONE_SERVER, plainOutput, SERVER } from './command.ts';
import { confirmed, KEY_FILE, unconfirmed } from './person.ts';
import { fileOf, withPlane, withServer } from './plane.ts';

interface ConsentRow {
  readonly server: string;
  readonly consent: string;
  /** Null where nobody has changed it since the configuration was first used. */
  readonly by: string | null;
  readonly via: string | null;
  readonly at: string | null;
}

const COLUMNS: readonly Column<ConsentRow>[] = [
  { title: 'Server', value: ({ server }) => server, min: 6, priority: 9 },
  { title: 'Consent', value: ({ consent }) => consent, min: 8, priority: 8 },
  { title: 'By', value: ({ by }) => printable(by ?? '', 80), min: 6, priority: 7 },
  { title: 'How', value: ({ via }) => via ?? '', min: 4, priority: 6 },
  { title: 'When', value: ({ at }) => at?.slice(0, 19).replace('T', ' ') ?? '', min: 19, priority: 5 },
];

const give: McpCommand = {
  name: 'give',
  summary: 'agree that a server is used',
  arguments: [SERVER],
  options: [KEY_FILE],
  examples: [['consent give mail', 'shows what it is and wants, and asks']],
  run: (call) => change(call, 'approved'),
};

const withdraw: McpCommand = {
  name: 'withdraw',
  summary: 'no longer agree; it is also taken out of use at once',
  arguments: [SERVER],
  examples: [['consent withdraw mail', 'in every process']],
  run: (call) => change(call, 'denied'),
};

export const consent: McpCommand = {
  name: 'consent',
  summary: 'see who agreed to each server, agree, and withdraw it',
  arguments: [ONE_SERVER],
  examples: [
    ['consent', 'every server, with who agreed to it, how and when'],
    ['consent give mail', 'agree that it is used'],
    ['consent withdraw mail', 'no longer'],
  ],
  subcommands: [give, withdraw],
  run: (call) =>
    withPlane(call, async (plane) => {
      const one = call.args.server === undefined ? undefined : plane.server(call.args.server);
      const records = await lastConsents(plane);
      const rows = plane.config.servers
        .filter((server) => one === undefined || server === one)
        .map(({ name, clientConsent }): ConsentRow => {
          const { by = null, via = null, time: at = null } = records.get(name) ?? {};
          return { server: name, consent: clientConsent, by, via, at };
        });
      if (rows.length === 0) call.note('No servers are configured.');
      return {
        data: { consents: rows },
        lines: (view) => (rows.length === 0 ? { lines: [] } : tableOf(COLUMNS, rows, view)),
      };
    }),
};

async function change(call: McpCall, consent: 'approved' | 'denied'): Promise<McpOutput> {
  const file = fileOf(call);
  let text: string | undefined;
  const unchanged = await withServer(call, async (plane, server) => {
    const { name, clientConsent } = server;
    if (clientConsent !== consent) text = await withConsent(file.text, plane.config, { name, consent });
    return plainOutput({ server: name, consent }, `${name}: client_consent is already ${consent}`);
  });
  if (text === undefined) return unchanged;
  const next = text;
  const name = call.args.server ?? '';
  return withCandidate(call, { file, text: next, decided: [`consent ${name}`] }, async (plane) => {
    const server = plane.server(name);
    const isGiven = consent === 'approved';
    if (isGiven) await call.tell(wantsLines(server).join('\n'));
    const decider = isGiven
      ? await confirmed(call, plane.config, `Agree that ${name} is used?`)
      : unconfirmed(call);
    if (isGiven) await plane.audit.ready();
    await replaceText(file.path, file.text, next);
    // Processes that run have the old configuration; the switch they follow at once.
    if (!isGiven) await switchServer(plane, server, false, decider);
    await plane.audit.record({ event: 'consented', server: name, outcome: consent, ...decider });
    if (!isGiven)
      return plainOutput(
        { server: name, consent },
        `${name}: you no longer agree to it, and it is switched off in every process.`,
        `To use it again: quire mcp consent give ${name}, then quire mcp enable ${name}`,
      );
    const { rejections } = await plane.verdict(server);
    if (!server.enabled || rejections.length > 0)
      call.note('It still may not be used: see quire mcp servers');
    return plainOutput(
      { server: name, consent },
      `${name}: you agreed to it. Processes that run take it up when they are started again.`,
    );
  });
}

/** What a person agrees to. */
function wantsLines(server: UpstreamServer): string[] {
  const { name, url, command, args, env, trust, sandboxProfile, sandboxRead, sandboxWrite } = server;
  const words = [command, ...(Array.isArray(args) ? args : [])].map(String).join(' ');
  const facts: readonly (readonly [string, string])[] =
    server.transport === 'stdio'
      ? [
          ['Runs', words],
          ['Sandbox', String(sandboxProfile ?? 'none')],
          ['Reads', sandboxRead.join(', ')],
          ['Writes', sandboxWrite.join(', ')],
          ['Variables', Object.keys(env).join(', ')],
        ]
      : [['Address', url ?? '']];
  const all = [...facts, ['Trust', trust], ['May ask', server.askClient.join(', ')]] as const;
  return [
    `${name}:`,
    ...all
      .filter(([, value]) => value !== '')
      .map(([what, value]) => `  ${`${what}:`.padEnd(10)} ${printable(value, 300)}`),
  ];
}
