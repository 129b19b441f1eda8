/** The plane as the benchmarks open it: over one server, `bench`, to call it; over many, to sign them. */
import { generateKeyPairSync } from 'node:crypto';
import { controlPlaneOf } from '../src/config/control-plane.ts';
import { configSchema } from '../src/config/schema.ts';
import { callCapability } from '../src/governance/call.ts';
import { signManifest } from '../src/governance/manifest.ts';
import { openPlane } from '../src/governance/plane.ts';
import { presentManifest } from '../src/governance/safety/judge.ts';
import { silentLog } from '../src/shared/log.ts';
import { NO_OPERATOR } from '../src/upstream/nested/operator.ts';

export async function planeIn(folder: string, control_plane: unknown) {
  const plane = openedIn(folder, control_plane);
  return {
    call: (name: string, args: Record<string, unknown>) =>
      callCapability(plane, { server: 'bench', kind: 'tool', name, args, by: 'bench' }),
    close: () => plane.close(),
  };
}

interface Settings {
  readonly mcp_servers: readonly object[];
}

/** The settings, with a signature of a new key for each server. */
export async function signedIn(folder: string, settings: Settings) {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const keyFile = Buffer.from(privateKey.export({ format: 'pem', type: 'pkcs8' }));
  const plane = openedIn(folder, settings);
  const signatures = plane.config.servers.map(async (server) => {
    const { found } = await plane.verdict(server);
    const { digest, signature } = signManifest(await presentManifest(server, found), keyFile, 'bench');
    return { manifest_digest: digest, manifest_signature: signature };
  });
  const signed = await Promise.all(signatures);
  await plane.close();
  const key = publicKey.export({ format: 'der', type: 'spki' }).subarray(-32).toString('base64');
  return {
    ...settings,
    mcp_manifest_keys: { bench: `ed25519:${key}` },
    mcp_servers: settings.mcp_servers.map((server, at) => ({ ...server, ...signed[at] })),
  };
}

function openedIn(folder: string, control_plane: unknown) {
  const config = configSchema.parse({ notebooks: {}, control_plane });
  const settings = controlPlaneOf({ ...config, configFolder: folder });
  if (!settings) throw new Error('no plane');
  return openPlane({
    config: settings,
    // The key of the audit log is made in the folder too.
    environment: { PATH: process.env.PATH, HOME: folder },
    operator: NO_OPERATOR,
    client: { name: 'bench', version: '1' },
    log: silentLog,
  });
}
