/**
 * The manifests that were signed or started here, by server, to tell what changed since. A record counts only when its
 * digest is the configured one, so that a forged record says nothing.
 */
import * as z from 'zod';
import { digestOfManifest, type ManifestV2 } from './manifest-content.ts';
import { forgetIn, openServerFile, recordFor } from './server-file.ts';

export interface SignedManifests {
  /** Undefined when no manifest with this digest is known. */
  of(server: string, digest: string): Promise<ManifestV2 | undefined>;
  put(manifest: ManifestV2): Promise<void>;
  forget(server: string): Promise<void>;
}

const MAX_BYTES = 16 * 1024 * 1024;
const record = z.looseObject({
  version: z.literal(2),
  env: z.record(z.string(), z.string()),
  files: z.array(z.looseObject({ path: z.string(), sha256: z.string() })),
  sandbox: z.record(z.string(), z.unknown()),
});

export function openSignedManifests(folder: string): SignedManifests {
  const file = openServerFile<ManifestV2>({ folder }, 'manifests.json', { record, maxBytes: MAX_BYTES });
  const known = async (server: string, digest: string) => {
    const found = recordFor(await file.read(), server);
    return found && digestOfManifest(found) === digest ? found : undefined;
  };
  return {
    of: known,
    put: async (manifest) => {
      const digest = digestOfManifest(manifest);
      if (await known(manifest.name, digest)) return;
      await file.update((before) => ({ value: { ...before, [manifest.name]: manifest }, result: undefined }));
    },
    forget: async (server) => void (await forgetIn(file, server)),
  };
}
