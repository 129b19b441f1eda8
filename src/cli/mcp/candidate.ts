/** The plane as a new text of the configuration would make it, before that text is the file's. */
import { randomBytes } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Plane, PlaneOptions } from '../../governance/plane.ts';
import { type McpCall, plainOutput } from './command.ts';
import { withPlane } from './plane.ts';

interface Candidate extends Pick<PlaneOptions, 'decided'> {
  readonly file: { readonly path: string };
  readonly text: string;
}

/** The text lies beside the real file, because paths are relative to it. */
export async function withCandidate<T>(
  call: McpCall,
  { file, text, decided }: Candidate,
  use: (plane: Plane) => Promise<T>,
): Promise<T> {
  const path = join(dirname(file.path), `.${basename(file.path)}.${randomBytes(6).toString('hex')}`);
  await writeFile(path, text, { flag: 'wx', mode: 0o600 });
  let result: T;
  try {
    const config = { path, folder: dirname(path), text };
    const run = async (plane: Plane) => {
      result = await use(plane);
      return plainOutput(null);
    };
    await withPlane({ ...call, config }, run, { decided });
    return result!;
  } finally {
    await rm(path, { force: true });
  }
}
