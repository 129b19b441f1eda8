/**
 * The private keys of a reviewer, one file each, for their owner alone. They lie in the user's configuration folder:
 * neither in the state folder nor beside the configuration of servers, which a server may be let into.
 */
import { createPublicKey, generateKeyPairSync } from 'node:crypto';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { ControlPlane } from '../config/control-plane.ts';
import type { Environment } from '../config/plane-file.ts';
import { AppError } from '../shared/errors.ts';
import { hasFileModes } from '../shared/fs/platform.ts';
import { makePrivateFolder } from '../shared/fs/private.ts';
import { isRecord } from '../shared/records.ts';
import { createOwnFile, modeOf, namesIn, readNamedFile } from './files.ts';
import { assertKeyId, parsePrivateKey } from './manifest.ts';
import { manifestV2Of } from './manifest-content.ts';

const MAX_KEY_BYTES = 16_384;
const ENDING = '.pem';

/** `$XDG_CONFIG_HOME/quire/keys`, else `~/.config/quire/keys`. */
export function keysFolder({ XDG_CONFIG_HOME, HOME }: Environment): string {
  return join(XDG_CONFIG_HOME || join(HOME || homedir(), '.config'), 'quire', 'keys');
}

export interface ReviewerKey {
  readonly id: string;
  readonly file: string;
  /** As `mcp_manifest_keys` has it. */
  readonly publicText: string;
}

/** Never over a key that is there. */
export async function createKey(folder: string, id: string): Promise<ReviewerKey> {
  assertKeyId(id);
  await makePrivateFolder(folder);
  const file = join(folder, `${id}${ENDING}`);
  const { privateKey } = generateKeyPairSync('ed25519');
  const pem = privateKey.export({ format: 'pem', type: 'pkcs8' }).toString();
  if (await createOwnFile(file, pem)) return { id, file, publicText: publicTextOf(Buffer.from(pem)) };
  throw new AppError('already_exists', 'There is a key of this id already', {
    subject: id,
    hint: `Sign with it: quire mcp manifest <server> --sign --key ${id}. Or make another with --id.`,
  });
}

/** `keyFile` is the content of a private key's file. */
export function publicTextOf(keyFile: Uint8Array): string {
  const { x = '' } = createPublicKey(parsePrivateKey(keyFile)).export({ format: 'jwk' });
  return `ed25519:${Buffer.from(x, 'base64url').toString('base64')}`;
}

export async function keyIds(folder: string): Promise<string[]> {
  const names = await namesIn(folder);
  return names.filter((name) => name.endsWith(ENDING)).map((name) => name.slice(0, -ENDING.length));
}

/** The content of a key's file. One that other users may read is refused: it may be theirs by now. */
export async function readKey(folder: string, id: string): Promise<Buffer> {
  assertKeyId(id);
  const file = join(folder, `${id}${ENDING}`);
  const content = await readKeyFile(file);
  const { mode = 0 } = (hasFileModes() && (await modeOf(file))) || {};
  if ((mode & 0o077) === 0) return content;
  throw new AppError('forbidden', 'Other users of this machine may read or change the key', {
    subject: id,
    hint: `Make a new one with quire mcp keygen, or, if you are sure that no one else has it: chmod 600 ${file}`,
  });
}

export function readKeyFile(file: string): Promise<Buffer> {
  return readNamedFile(file, MAX_KEY_BYTES, 'the key file');
}

/** Names of the servers that are let into a folder by a path of their sandbox. */
export async function serversReaching(
  folder: string,
  { servers }: Pick<ControlPlane, 'servers'>,
): Promise<string[]> {
  const reaching = await Promise.all(
    servers.map(async (server) => textsIn((await manifestV2Of(server, [])).sandbox).some(holds(folder))),
  );
  return servers.filter((_, at) => reaching[at]).map(({ name }) => name);
}

function holds(folder: string): (path: string) => boolean {
  return (path) => path === '/' || folder === path || (path !== '' && folder.startsWith(`${path}/`));
}

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) return value.flatMap(textsIn);
  return isRecord(value) ? Object.values(value).flatMap(textsIn) : [];
}
