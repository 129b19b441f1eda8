/** Shared set-up of the wire tests of the notebook tools. */
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { Answer, ToolClient } from '../../kit/server.ts';

/** Has the client fetch the tools first, so that it checks every answer against the listed output schema. */
export async function checked<C extends ToolClient>(opening: Promise<C>): Promise<C> {
  const connected = await opening;
  await connected.client.listTools();
  return connected;
}

/** The answer is an error: one text block whose first line is `Error: ` and the given words. */
export function expectError(answer: Answer, firstLine: string | RegExp): void {
  expect(answer.isError, answer.text).toBe(true);
  expect(answer.content).toHaveLength(1);
  expect(answer.content[0]?.type).toBe('text');
  const line = answer.text.split('\n')[0] ?? '';
  expect(line.startsWith('Error: '), line).toBe(true);
  const words = line.slice('Error: '.length);
  if (typeof firstLine === 'string') expect(words).toBe(firstLine);
  else expect(words).toMatch(firstLine);
}

/** Every entry below the folder, dot files included, with its bytes. */
export async function snapshot(folder: string): Promise<Record<string, string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const all: Record<string, string> = {};
  for (const entry of entries) {
    const path = join(entry.parentPath, entry.name);
    const name = path.slice(folder.length + 1);
    all[name] = entry.isFile() ? (await readFile(path)).toString('latin1') : '(not a file)';
  }
  return all;
}

/** When each file below the folder was last changed, to tell a rewrite with equal bytes from none. */
export async function stamps(folder: string): Promise<Record<string, string>> {
  const names = await readdir(folder, { recursive: true });
  const all: Record<string, string> = {};
  for (const name of names) {
    const entry = await stat(join(folder, name), { bigint: true });
    all[name] = `${entry.ino}:${entry.mtimeNs}:${entry.ctimeNs}`;
  }
  return all;
}
