/** A folder of notes, an assistant that changes them through the binary, and a person at the terminal. */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { BINARY, type ServerProcess, type StartOptions, startBinary } from '../../kit/server.ts';
import { CLEAN_ENVIRONMENT, fileText, putFile, temporaryFolder } from '../../kit/temp.ts';

export interface Output {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Desk {
  readonly folder: string;
  readonly notes: string;
  readonly env: Record<string, string>;
  /** Starts a server of the notes. */
  assistant(flags?: readonly string[], options?: StartOptions): Promise<ServerProcess>;
  /** Runs the binary in the folder. */
  quire(...args: readonly string[]): Promise<Output>;
  /** The answer of `quire … --json`. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of many shapes
  json(...args: readonly string[]): Promise<any>;
  text(path: string): Promise<string>;
  put(path: string, content: string | Uint8Array): Promise<void>;
}

export async function desk(seed: Readonly<Record<string, string>> = {}): Promise<Desk> {
  const folder = await temporaryFolder();
  const notes = join(folder, 'notes');
  const put = (path: string, content: string | Uint8Array) => putFile(notes, path, content);
  await put('keep.md', 'keep\n');
  for (const [path, content] of Object.entries(seed)) await put(path, content);
  const env = { XDG_STATE_HOME: join(folder, 'state'), HOME: folder };
  const quire = (...args: readonly string[]) => run(args, folder, env);
  return {
    folder,
    notes,
    env,
    quire,
    put,
    text: (path) => fileText(notes, path),
    assistant: (flags = [], options = {}) =>
      startBinary(notes, flags, { ...options, env: { ...env, ...options.env } }),
    json: async (...args) => JSON.parse((await quire(...args, '--json')).stdout),
  };
}

function run(args: readonly string[], cwd: string, env: Record<string, string>): Promise<Output> {
  const child = spawn(process.execPath, [BINARY, ...args], { cwd, env: { ...CLEAN_ENVIRONMENT, ...env } });
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (chunk: Buffer) => {
    stdout += chunk;
  });
  child.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk;
  });
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, stdout, stderr })));
}
