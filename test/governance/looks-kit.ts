/** A folder with a configuration and a server behind it, and `quire mcp` run in it. */
import { createHash, generateKeyPairSync } from 'node:crypto';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { mcpCommand } from '../../src/config/commands/notebook.ts';
import { controlPlaneOf } from '../../src/config/control-plane.ts';
import { loadConfig } from '../../src/config/load.ts';
import { type Approvals, openApprovals } from '../../src/governance/approvals/approvals.ts';
import { openPlane, type Plane } from '../../src/governance/plane.ts';
import { silentLog } from '../../src/shared/log.ts';
import { mcpLine } from '../kit/mcp-line.ts';
import { CLEAN_ENVIRONMENT, putFile, temporaryFolder } from '../kit/temp.ts';
import { PROJECT, testServer } from './sandbox-kit.ts';
import { ABSENT_OPERATOR } from './upstream-kit.ts';

export type Settings = Readonly<Record<string, unknown>>;

/** A server that may be used, unless the settings say otherwise. */
export function library(settings: Settings = {}, modes: readonly string[] = []): Settings {
  return {
    name: 'library',
    transport: 'stdio',
    command: process.execPath,
    args: [testServer('library.mjs'), ...modes],
    stdio_allowed_commands: [process.execPath],
    manifest_digest: `sha256:${createHash('sha256').update('x').digest('hex')}`,
    manifest_signature: 'alex:AAAA',
    sandbox_profile: 'restricted',
    sandbox_read: [PROJECT],
    client_consent: 'approved',
    trust: 'reviewed',
    first_definitions: 'accept',
    ...settings,
  };
}

export interface Place {
  readonly folder: string;
  configure(servers: readonly Settings[], plane?: Settings, rest?: Settings): Promise<void>;
  run(words: readonly string[], environment?: Record<string, string>): Promise<CommandResult>;
  json<Data>(words: readonly string[]): Promise<CommandAnswer<Data>>;
  approvals(): Approvals;
  /** The plane of the configuration as it is now, in this process. */
  plane(environment?: Record<string, string>): Promise<Plane>;
}

export interface CommandAnswer<Data> {
  readonly code: unknown;
  readonly ok: boolean;
  readonly data: Data;
  readonly error?: { readonly code: string; readonly details?: Readonly<Record<string, string>> };
}

export interface CommandResult {
  readonly code: unknown;
  readonly stdout: string;
  readonly stderr: string;
}

export async function place(
  servers: readonly Settings[] = [library()],
  plane: Settings = {},
  rest: Settings = {},
): Promise<Place> {
  const folder = await temporaryFolder({ 'notes/a.md': 'A note.\n' });
  const configure: Place['configure'] = (own, section = {}, more = {}) =>
    putFile(
      folder,
      'quire.yaml',
      JSON.stringify(
        {
          notebooks: { personal: { folder: './notes' } },
          control_plane: {
            mcp_sandbox: { backend: 'process', policy: 'warn' },
            ...section,
            mcp_servers: own,
          },
          ...more,
        },
        null,
        2,
      ),
    );
  await configure(servers, plane, rest);
  const run: Place['run'] = (words, environment = {}) =>
    mcpLine(words, {
      workingFolder: folder,
      environment: { ...CLEAN_ENVIRONMENT, HOME: folder, USER: 'alex', ...environment },
    });
  return {
    folder,
    configure,
    run,
    json: async (words) => {
      const { code, stdout } = await run([...words, '--json']);
      return { code, ...JSON.parse(stdout) };
    },
    approvals: () => openApprovals({ folder: join(folder, '.quire/plane') }),
    plane: (environment) => openedPlane(folder, environment),
  };
}

async function openedPlane(folder: string, environment = {}): Promise<Plane> {
  const config = await loadConfig({ spec: mcpCommand, flags: {}, env: {}, file: join(folder, 'quire.yaml') });
  const settings = controlPlaneOf(config);
  if (!settings) throw new Error('no plane');
  const plane = openPlane({
    config: settings,
    environment: { ...CLEAN_ENVIRONMENT, ...environment },
    operator: ABSENT_OPERATOR,
    client: { name: 'quire-test', version: '1' },
    log: silentLog,
  });
  onTestFinished(() => plane.close());
  return plane;
}

export function keyPair(): { readonly privatePem: string; readonly publicText: string } {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const raw = publicKey.export({ format: 'der', type: 'spki' }).subarray(-32);
  return {
    privatePem: privateKey.export({ format: 'pem', type: 'pkcs8' }).toString(),
    publicText: `ed25519:${raw.toString('base64')}`,
  };
}
