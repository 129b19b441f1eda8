/**
 * `quire mcp manifest <server>`: prints the manifest that a reviewer signs, or signs it, and writes the signature into the
 * configuration. `quire mcp keygen`: makes the key for that.
 */
import { basename, resolve } from 'node:path';
import { type ControlPlane, controlPlaneOf, type UpstreamServer } from '../../config/control-plane.ts';
import { canonicalJson } from '../../governance/digest.ts';
import { removeFiles } from '../../governance/files.ts';
import { signManifest } from '../../governance/manifest.ts';
import { digestOfManifest } from '../../governance/manifest-content.ts';
import { replaceText } from '../../governance/marketplace/marketplace.ts';
import type { Plane } from '../../governance/plane.ts';
import {
  createKey,
  keyIds,
  keysFolder,
  publicTextOf,
  type ReviewerKey,
  readKey,
  readKeyFile,
  serversReaching,
} from '../../governance/reviewer-keys.ts';
import { presentManifest } from '../../governance/safety/judge.ts';
import { serverPath, setInConfig } from '../../governance/set-in-config.ts';
import { AppError } from '../../shared/errors.ts';
import { fromHome } from '../../shared/fs/folder.ts';
import { parsePublicKey } from '../../shared/public-keys.ts';
import { type McpCall, type McpCommand, plainOutput, SERVER } from './command.ts';
import { checkedConfigOf, fileOf, withServer } from './plane.ts';

export const manifest: McpCommand = {
  name: 'manifest',
  summary: 'print what a reviewer of a server signs, or sign it',
  arguments: [SERVER],
  options: [
    {
      flag: '--sign [keyfile]',
      description:
        'sign with your key of quire mcp keygen, or with this private Ed25519 key (PEM or 32 bytes)',
    },
    { flag: '--key <id>', description: 'which key: its id in mcp_manifest_keys' },
    { flag: '--key-id <id>', description: 'the same as --key' },
    { flag: '--write', description: 'write digest and signature into the configuration' },
  ],
  examples: [
    ['manifest memory', 'what would be signed, and its digest'],
    ['manifest memory --sign --write', 'sign it with your key, in quire.yaml'],
    ['manifest memory --sign review.pem --key alex', 'the two lines to paste into quire.yaml'],
  ],
  run: (call) =>
    withServer(call, async (plane, server) => {
      if (server.transport !== 'stdio')
        throw new AppError('unsupported', 'Only servers that are started here have a manifest', {
          subject: server.name,
          hint: `It is reached at its address. Look at it with: quire mcp doctor ${server.name}`,
        });
      const key = await keyOf(call, plane.config);
      const content = await presentOf(plane, server, call);
      const canonical = canonicalJson(content);
      const signed = key && signManifest(content, key.content, key.id);
      const digest = digestOfManifest(content);
      if (key) noteKey(call, plane.config, key);
      await plane.manifests.put(content);
      const isWritten = signed !== undefined && call.options.write === true;
      if (isWritten) await writeSignature(call, plane.config, server, signed);
      return plainOutput(
        { server: server.name, manifest: content, canonical, digest, signature: signed?.signature ?? null },
        canonical,
        `manifest_digest: ${digest}`,
        ...(signed === undefined ? [] : [`manifest_signature: "${signed.signature}"`]),
        ...(isWritten ? [`Written into ${basename(fileOf(call).path)}, for ${server.name}.`] : []),
      );
    }),
};

async function presentOf(plane: Plane, server: UpstreamServer, call: McpCall) {
  const { found } = await plane.verdict(server);
  if (!found)
    call.note(
      'Its command was not found, so no file of it is covered. Sign it on the machine where it runs.',
    );
  return presentManifest(server, found);
}

interface ChosenKey {
  readonly id: string;
  readonly content: Uint8Array;
}

/** Undefined where nothing is to be signed. */
async function keyOf(call: McpCall, config: ControlPlane): Promise<ChosenKey | undefined> {
  const { sign, write, key, keyId } = call.options;
  const id = [key, keyId].find((one) => typeof one === 'string');
  const isComplete = typeof sign === 'string' ? sign !== '' && id !== undefined : sign === true;
  if (isComplete && typeof sign === 'string' && id !== undefined)
    return { id, content: await readKeyFile(resolve(call.workingFolder, fromHome(sign))) };
  if (isComplete) return ownKey(call, config, id);
  if (sign === undefined && id === undefined && write !== true) return undefined;
  throw new AppError(
    'invalid_input',
    '--sign <keyfile> and --key go together, and --key or --write need --sign',
    {
      hint: 'For example: quire mcp manifest memory --sign --write, or --sign review.pem --key alex',
    },
  );
}

/** The named key of the keys folder, or the only one that can be meant. */
async function ownKey(
  { environment }: McpCall,
  { manifestKeys }: ControlPlane,
  named: string | undefined,
): Promise<ChosenKey> {
  const folder = keysFolder(environment);
  const ids = await keyIds(folder);
  const known = ids.filter((id) => Object.hasOwn(manifestKeys, id));
  const candidates = known.length > 0 ? known : ids;
  const id = named ?? (candidates.length === 1 ? candidates[0] : undefined);
  if (id !== undefined && ids.includes(id)) return { id, content: await readKey(folder, id) };
  if (id === undefined && candidates.length > 1)
    throw new AppError('invalid_input', 'There are several keys', {
      subject: candidates.join(', '),
      hint: `Choose one: --sign --key ${candidates[0]}`,
    });
  throw new AppError('not_found', 'There is no key to sign with', {
    subject: id,
    hint: 'Make one, once: quire mcp keygen --write. Or name a file: --sign review.pem --key alex',
  });
}

function noteKey(call: McpCall, { manifestKeys }: ControlPlane, { id, content }: ChosenKey): void {
  const publicText = publicTextOf(content);
  if (!Object.hasOwn(manifestKeys, id)) {
    call.note(
      `control_plane.mcp_manifest_keys has no key ${id}: until it has, the signature cannot be verified. Add the line: ${id}: "${publicText}"`,
    );
    return;
  }
  const own = parsePublicKey(publicText)?.key;
  if (own && parsePublicKey(manifestKeys[id] ?? '')?.key.equals(own)) return;
  throw new AppError('invalid_input', 'mcp_manifest_keys has another key under this id', {
    subject: id,
    hint: `The public half of the key you sign with is ${publicText}. Choose another --key, or correct the configuration.`,
  });
}

async function writeSignature(
  call: McpCall,
  { servers, serversKey }: ControlPlane,
  { name }: UpstreamServer,
  { digest, signature }: { readonly digest: string; readonly signature: string },
): Promise<void> {
  const file = fileOf(call);
  const text = await withSignature(file.text, { servers, serversKey, name }, { digest, signature });
  call.signal.throwIfAborted();
  await replaceText(file.path, file.text, text);
}

/** The text of a configuration with the signature of one of its servers. */
export async function withSignature(
  text: string,
  config: Pick<ControlPlane, 'servers' | 'serversKey'> & { readonly name: string },
  { digest, signature }: { readonly digest: string; readonly signature: string },
): Promise<string> {
  const entry = serverPath(config, config.name);
  const withDigest = await setInConfig(text, [...entry, 'manifest_digest'], digest);
  return setInConfig(withDigest, [...entry, 'manifest_signature'], signature);
}

export const keygen: McpCommand = {
  name: 'keygen',
  summary: 'make a key to sign manifests with',
  options: [
    { flag: '--id <id>', description: 'what the key is called; your user name when left out' },
    { flag: '--write', description: 'add its public half to mcp_manifest_keys in the configuration' },
  ],
  examples: [
    ['keygen --write', 'a key of your own, known to quire.yaml'],
    ['keygen --id team', 'a further key; prints the line for mcp_manifest_keys'],
  ],
  config: 'optional',
  async run(call) {
    const { options, environment } = call;
    const config = await checkedConfigOf(call);
    const plane = config && controlPlaneOf(config);
    const id = typeof options.id === 'string' ? options.id : idFor(environment.USER || environment.LOGNAME);
    const folder = keysFolder(environment);
    if (options.write === true) fileForKey(call);
    if (plane) await assertNew(call, plane, { id, folder });
    const key = await createKey(folder, id);
    if (options.write === true) await writeKey(call, key);
    const isFirst = options.write === true && Object.keys(plane?.manifestKeys ?? {}).length === 0;
    const started = (plane?.servers ?? []).filter(({ transport }) => transport === 'stdio');
    if (isFirst && started.length > 0)
      call.note(
        `From now on a server is started only when its manifest is signed with a key of mcp_manifest_keys. Sign each, after a review: ${started.map(({ name }) => `quire mcp manifest ${name} --sign --write`).join('; ')}`,
      );
    return plainOutput(
      { id, file: key.file, public_key: key.publicText, written: options.write === true },
      `Private key: ${key.file} (for you alone; keep a copy in a safe place)`,
      ...(options.write === true
        ? [`Added ${id} to control_plane.mcp_manifest_keys of ${basename(fileForKey(call).path)}.`]
        : ['Public key, for control_plane in the configuration (--write adds it):']),
      'mcp_manifest_keys:',
      `  ${id}: "${key.publicText}"`,
    );
  },
};

/** What a key is called where nobody says it. */
export function idFor(user: string | undefined): string {
  return (user ?? '').replace(/[^A-Za-z0-9._-]/g, '').slice(0, 64) || 'operator';
}

function fileForKey(call: McpCall) {
  if (call.config) return call.config;
  throw new AppError('not_found', 'No configuration file found', {
    hint: 'Write quire.yaml in this folder with quire init, or leave --write out.',
  });
}

async function assertNew(
  call: McpCall,
  plane: ControlPlane,
  { id, folder }: { readonly id: string; readonly folder: string },
): Promise<void> {
  if (Object.hasOwn(plane.manifestKeys, id))
    throw new AppError('already_exists', 'mcp_manifest_keys has a key of this id already', {
      subject: id,
      hint: 'It is never replaced, because servers are signed with it. Choose another: --id',
    });
  if (`${folder}/`.startsWith(`${plane.stateDir}/`))
    throw new AppError('invalid_input', 'The keys would lie in the state folder', {
      hint: 'Set state_dir to another folder, or XDG_CONFIG_HOME.',
    });
  const reaching = await serversReaching(folder, plane);
  if (reaching.length > 0)
    call.note(
      `The sandbox of ${reaching.join(', ')} names a folder that holds the keys. Name a smaller one, or set XDG_CONFIG_HOME for the keys.`,
    );
}

/** A key that the configuration does not get is removed again, so that the command can be repeated. */
async function writeKey(call: McpCall, { id, publicText, file: keyFile }: ReviewerKey): Promise<void> {
  const file = fileForKey(call);
  try {
    const text = await setInConfig(file.text, ['control_plane', 'mcp_manifest_keys', id], publicText);
    await replaceText(file.path, file.text, text);
  } catch (error) {
    await removeFiles([keyFile]);
    throw error;
  }
}
