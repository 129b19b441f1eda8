/** A manifest's state as a reason not to start the server. */
import type { Rejection } from '../types.ts';
import { type Keys, manifestState, type Signed } from './verify.ts';

export function judgeManifest(server: Signed, keys: Keys): Rejection[] {
  const again = `Review it, then run quire mcp manifest ${server.name}.`;
  switch (manifestState(server, keys)) {
    case 'verified':
    case 'unverified':
      return [];
    case 'missing':
      return [
        { code: 'manifest_missing', reason: `manifest_digest and manifest_signature are needed. ${again}` },
      ];
    case 'malformed':
      return [
        {
          code: 'manifest_malformed',
          reason: `manifest_digest must be sha256: and 64 lower-case hex digits, manifest_signature <key id>:<base64> or minisign's. ${again}`,
        },
      ];
    case 'mismatch':
      return [
        {
          code: 'manifest_mismatch',
          reason: `It is not what was reviewed: the digest is that of another command, other arguments, variables or sandbox. ${again}`,
        },
      ];
    case 'signature_invalid':
      return [{ code: 'signature_invalid', reason: `manifest_signature is not of this manifest. ${again}` }];
    case 'key_unknown':
      return [
        {
          code: 'key_unknown',
          reason: 'It is signed with a key that control_plane.mcp_manifest_keys does not have.',
        },
      ];
  }
}
