/** `quire mcp manifest <server>`: prints the manifest that a reviewer signs, or signs it for the configuration file. */
import { resolve } from 'node:path';
import { canonicalJson } from '../../governance/digest.ts';
import { readNamedFile } from '../../governance/files.ts';
import { manifestDigest, manifestOf, signManifest } from '../../governance/manifest.ts';
import { AppError } from '../../shared/errors.ts';
import { fromHome } from '../../shared/fs/folder.ts';
import { type McpCall, type McpCommand, plainOutput, SERVER } from './command.ts';
import { withServer } from './plane.ts';

const MAX_KEY_BYTES = 16_384;

export const manifest: McpCommand = {
  name: 'manifest',
  summary: 'print what a reviewer of a server signs, or sign it',
  arguments: [SERVER],
  options: [
    { flag: '--sign <keyfile>', description: 'sign with this private Ed25519 key (PEM or 32 bytes)' },
    { flag: '--key-id <id>', description: 'what mcp_manifest_keys calls the key' },
  ],
  examples: [
    ['manifest memory', 'what would be signed, and its digest'],
    ['manifest memory --sign review.pem --key-id alex', 'the two lines to paste into quire.yaml'],
  ],
  run: (call) =>
    withServer(call, async (plane, server) => {
      if (server.transport !== 'stdio')
        throw new AppError('unsupported', 'Only servers that are started here have a manifest', {
          subject: server.name,
          hint: `It is reached at its address. Look at it with: quire mcp doctor ${server.name}`,
        });
      const key = keyOf(call);
      const canonical = canonicalJson(manifestOf(server));
      const signature =
        key &&
        signManifest(server, await readNamedFile(key.file, MAX_KEY_BYTES, 'the key file'), key.id).signature;
      if (key && !Object.hasOwn(plane.config.manifestKeys, key.id))
        call.note(
          `control_plane.mcp_manifest_keys has no key ${key.id}: until it has, the signature cannot be verified.`,
        );
      const digest = manifestDigest(server);
      return plainOutput(
        {
          server: server.name,
          manifest: manifestOf(server),
          canonical,
          digest,
          signature: signature ?? null,
        },
        canonical,
        `manifest_digest: ${digest}`,
        ...(signature === undefined ? [] : [`manifest_signature: "${signature}"`]),
      );
    }),
};

function keyOf({ options, workingFolder }: McpCall): { file: string; id: string } | undefined {
  const { sign, keyId } = options;
  if (sign === undefined && keyId === undefined) return undefined;
  if (typeof sign === 'string' && sign !== '' && typeof keyId === 'string')
    return { file: resolve(workingFolder, fromHome(sign)), id: keyId };
  throw new AppError('invalid_input', '--sign and --key-id go together', {
    hint: 'For example: quire mcp manifest memory --sign review.pem --key-id alex',
  });
}
