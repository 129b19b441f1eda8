/** Results that wait until a person has read and released them: a private file for each call, for a limited time. */
import { join } from 'node:path';
import { makePrivateFolder } from '../../shared/fs/private.ts';
import { replaceFile } from '../../shared/fs/replace-file.ts';
import { digestOf } from '../digest.ts';
import { modifiedAt, namesIn, readOwnFile, removeFiles } from '../files.ts';
import type { ScanFinding } from '../types.ts';

export interface HeldResult {
  readonly result: Record<string, unknown>;
  readonly findings: readonly ScanFinding[];
  /** What the approval was asked for, digest of the result included. */
  readonly approvalArgs: Readonly<Record<string, unknown>>;
}

/** The call whose result is held: by the same caller, with the same arguments. */
export interface HeldCall {
  readonly server: string;
  readonly capability: string;
  readonly by: string;
  readonly args: unknown;
}

export interface HeldResults {
  of(call: HeldCall): Promise<HeldResult | undefined>;
  put(call: HeldCall, held: HeldResult): Promise<void>;
  remove(call: HeldCall): Promise<void>;
}

const FOLDER = 'held-results';
const MAX_BYTES = 256 * 1024 * 1024;
export const MOST_HELD = 200;
export const HELD_MS = 86_400_000;

export function openHeldResults({
  folder: stateFolder,
  now,
}: {
  folder: string;
  now: () => number;
}): HeldResults {
  const folder = join(stateFolder, FOLDER);
  const pathOf = (call: HeldCall) => join(folder, `${digestOf(call)}.json`);
  const prune = async () => {
    const paths = (await namesIn(folder)).map((name) => join(folder, name));
    const ages = await Promise.all(paths.map(async (path) => ({ path, at: (await modifiedAt(path)) ?? 0 })));
    const oldest = ages.sort((a, b) => b.at - a.at);
    const over = oldest.filter(({ at }, place) => place >= MOST_HELD || now() - at > HELD_MS);
    await removeFiles(over.map(({ path }) => path));
  };
  return {
    async of(call) {
      const text = await readOwnFile(pathOf(call), MAX_BYTES);
      return text === undefined ? undefined : (JSON.parse(text) as HeldResult);
    },
    async put(call, held) {
      await makePrivateFolder(folder);
      await prune();
      await replaceFile(pathOf(call), JSON.stringify(held), { flush: false });
    },
    remove: (call) => removeFiles([pathOf(call)]),
  };
}
