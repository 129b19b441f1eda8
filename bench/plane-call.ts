/** The plane over one server, as the benchmark calls it. */
import { controlPlaneOf } from '../src/config/control-plane.ts';
import { configSchema } from '../src/config/schema.ts';
import { callCapability } from '../src/governance/call.ts';
import { openPlane } from '../src/governance/plane.ts';
import { silentLog } from '../src/shared/log.ts';
import { NO_OPERATOR } from '../src/upstream/nested/operator.ts';

export interface Bench {
  readonly folder: string;
  readonly server: string;
  readonly callsPerMinute: number;
}

export async function planeIn({ folder, server, callsPerMinute }: Bench) {
  const config = configSchema.parse({
    notebooks: {},
    control_plane: {
      mcp_limits: { calls_per_minute: callsPerMinute },
      // The same bare process as beside it: a sandbox costs at the start, not at a call.
      mcp_sandbox: { backend: 'process', policy: 'warn' },
      mcp_servers: [
        {
          name: 'bench',
          transport: 'stdio',
          command: process.execPath,
          args: [server],
          stdio_allowed_commands: [process.execPath],
          manifest_digest: `sha256:${'0'.repeat(64)}`,
          manifest_signature: 'key:c2lnbmF0dXJl',
          sandbox_profile: 'restricted',
          client_consent: 'approved',
          trust: 'trusted',
          first_definitions: 'accept',
        },
      ],
    },
  });
  const settings = controlPlaneOf({ ...config, configFolder: folder });
  if (!settings) throw new Error('no plane');
  const plane = openPlane({
    config: settings,
    // The key of the audit log is made in the folder too.
    environment: { PATH: process.env.PATH, HOME: folder },
    operator: NO_OPERATOR,
    client: { name: 'bench', version: '1' },
    log: silentLog,
  });
  return {
    call: (name: string, args: Record<string, unknown>) =>
      callCapability(plane, { server: 'bench', kind: 'tool', name, args, by: 'bench' }),
    close: () => plane.close(),
  };
}
