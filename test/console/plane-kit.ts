/** A console over a governed server that is really started. */
import { mkdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { testServer, USUAL_SANDBOX } from '../governance/sandbox-kit.ts';
import { type ConsoleServer, type ConsoleSettings, serveConsole } from '../kit/console.ts';
import { putFile, temporaryFolder } from '../kit/temp.ts';

export interface GovernedConsole extends ConsoleServer {
  /** Sets what the server says of itself from now on. */
  says(what: Readonly<Record<string, unknown>>): Promise<void>;
  /** The calls that reached the server. */
  heard(): Promise<Record<string, unknown>[]>;
  audit(): Promise<Record<string, unknown>[]>;
  /** Of the plane. */
  readonly state: string;
}

export async function serveGoverned(
  settings: Partial<ConsoleSettings> & {
    readonly server?: Readonly<Record<string, unknown>>;
    readonly says?: Readonly<Record<string, unknown>>;
    /** Other settings of the plane. */
    readonly plane?: Readonly<Record<string, unknown>>;
    readonly others?: readonly Readonly<Record<string, unknown>>[];
  } = {},
): Promise<GovernedConsole> {
  const folder = await temporaryFolder({ 'notes/a.md': '# A\n\nabout apples' });
  const work = join(folder, 'work');
  await mkdir(work);
  const says = (what: object) => putFile(folder, 'work/says.json', JSON.stringify(what));
  if (settings.says) await says(settings.says);
  const script = testServer('shop.mjs');
  const shop = {
    name: 'shop',
    transport: 'stdio',
    command: 'node',
    args: [script],
    stdio_allowed_commands: ['node'],
    manifest_digest: `sha256:${'a'.repeat(64)}`,
    manifest_signature: 'somebody:c2lnbmF0dXJl',
    sandbox_profile: 'restricted',
    sandbox_cwd: work,
    sandbox_read: [dirname(script)],
    client_consent: 'approved',
    trust: 'reviewed',
    first_definitions: 'accept',
    expose: true,
    ...settings.server,
  };
  const state = join(folder, 'plane');
  const server = await serveConsole({
    ...settings,
    config: {
      notebooks: { personal: { folder: join(folder, 'notes') } },
      control_plane: {
        mcp_sandbox: USUAL_SANDBOX,
        ...settings.plane,
        mcp_servers: [shop, ...(settings.others ?? [])],
      },
      state_dir: state,
      ...settings.config,
    },
  });
  return {
    ...server,
    state,
    says,
    heard: () => linesOf(join(work, 'heard.jsonl')),
    audit: () => linesOf(join(state, 'audit.jsonl')),
  };
}

async function linesOf(file: string): Promise<Record<string, unknown>[]> {
  const text = await readFile(file, 'utf8').catch(() => '');
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}
