/** A configuration with a governed server in it, and what the audit log says afterwards. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { putFile, temporaryFolder } from '../kit/temp.ts';
import { PROJECT, testServer, USUAL_SANDBOX } from './sandbox-kit.ts';

export const SHIFTING = {
  name: 'box',
  transport: 'stdio',
  command: process.execPath,
  args: [testServer('shifting.mjs')],
  stdio_allowed_commands: [process.execPath],
  manifest_digest: `sha256:${'0'.repeat(64)}`,
  manifest_signature: 'key:c2lnbmF0dXJl',
  sandbox_profile: 'restricted',
  sandbox_read: [join(PROJECT, 'test/governance/servers')],
  client_consent: 'approved',
  trust: 'trusted',
  first_definitions: 'accept',
  deny_tools: ['forbidden_*'],
  expose: true,
};

export interface ConfigFixture {
  readonly file: string;
  readonly folder: string;
  /** Lines of the audit log so far. */
  audit(): Promise<Record<string, unknown>[]>;
}

/** JSON is YAML too. */
export async function writePlane(
  servers: readonly Record<string, unknown>[],
  sections: Record<string, unknown> = {},
): Promise<ConfigFixture> {
  const folder = await temporaryFolder({ 'notes/a.md': 'a' });
  const { control_plane: plane, ...rest } = sections as { control_plane?: Record<string, unknown> };
  const config = {
    notebooks: { personal: { folder: './notes' } },
    serve: { port: 0 },
    control_plane: { mcp_sandbox: USUAL_SANDBOX, ...plane, mcp_servers: servers },
    ...rest,
  };
  await putFile(folder, 'quire.yaml', JSON.stringify(config));
  return {
    file: join(folder, 'quire.yaml'),
    folder,
    async audit() {
      const text = await readFile(join(folder, '.quire/plane/audit.jsonl'), 'utf8').catch(() => '');
      return text
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line) as Record<string, unknown>);
    },
  };
}
