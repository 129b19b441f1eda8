/** What a reviewer signs: how a server is started, without the secrets it is started with. */
import type { UpstreamServer } from '../../config/control-plane.ts';
import { digestOf } from '../digest.ts';

export interface Manifest {
  readonly version: 1;
  readonly name: string;
  readonly transport: UpstreamServer['transport'];
  readonly command: unknown;
  readonly args: unknown;
  /** Names only: a new secret needs no new review, a new variable does. */
  readonly env_keys: readonly string[];
  readonly sandbox_profile: string | null;
}

export type Described = Pick<
  UpstreamServer,
  'name' | 'transport' | 'command' | 'args' | 'env' | 'sandboxProfile'
>;

export function manifestOf(server: Described): Manifest {
  return {
    version: 1,
    name: server.name,
    transport: server.transport,
    command: server.command ?? null,
    args: server.args ?? [],
    env_keys: Object.keys(server.env).sort(),
    sandbox_profile: server.sandboxProfile ?? null,
  };
}

export function manifestDigest(server: Described): string {
  return `sha256:${digestOf(manifestOf(server))}`;
}

/** The first line keeps a signature made for something else from being one of a manifest. */
export function signedText(digest: string): Buffer {
  return Buffer.from(`sb-mcp-manifest/v1\n${digest}`);
}
