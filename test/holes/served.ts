/** The built binary on a folder of the test's own, and the bytes that stand there: what every hole is judged by. */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { startBinary, type ToolClient } from '../kit/server.ts';
import { temporaryFolder } from '../kit/temp.ts';

export interface VaultServer extends ToolClient {
  readonly folder: string;
  readonly pid: number;
}

export async function served(
  seed: Readonly<Record<string, string | Uint8Array>> = {},
  flags: readonly string[] = [],
): Promise<VaultServer> {
  const folder = await temporaryFolder(seed);
  return { folder, ...(await startBinary(folder, flags)) };
}

export function bytesOf(folder: string, path: string): Buffer {
  return readFileSync(join(folder, path));
}

export function modeOf(folder: string, path: string): number {
  return statSync(join(folder, path)).mode & 0o7777;
}

/** Everything in a folder, hidden entries included: the bytes of files, the aims of links. */
export function treeOf(folder: string): Record<string, string> {
  const tree: Record<string, string> = {};
  const walk = (under: string) => {
    for (const entry of readdirSync(join(folder, under), { withFileTypes: true })) {
      const path = under === '' ? entry.name : `${under}/${entry.name}`;
      if (entry.isSymbolicLink()) tree[path] = `link to ${readlinkSync(join(folder, path))}`;
      else if (entry.isDirectory()) {
        tree[`${path}/`] = 'folder';
        walk(path);
      } else tree[path] = fingerprint(bytesOf(folder, path));
    }
  };
  walk('');
  return tree;
}

/** The files of a folder that are notes or notes-to-be: no folders. */
export function filesOf(folder: string): string[] {
  return Object.keys(treeOf(folder)).filter((path) => !path.endsWith('/'));
}

/** Short files in clear, so that a failure shows what became of them. */
export function fingerprint(bytes: Uint8Array): string {
  return bytes.length < 4_000
    ? Buffer.from(bytes).toString('latin1')
    : `${bytes.length} bytes ${createHash('sha256').update(bytes).digest('hex')}`;
}
