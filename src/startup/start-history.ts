/** Remembers which folder a start served: the same arguments in the same directory most likely serve it again. */
import { accessSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { IndexedFolder } from '../app/services.ts';
import { cacheFolderOf } from '../shared/fs/errno.ts';
import { replaceFileSync } from '../shared/fs/replace-file.ts';

interface StartRecord extends IndexedFolder {
  /** A hash of the arguments and the working directory. */
  readonly words: string;
}

const REMEMBERED = 20;

/** The folder this start most likely serves, if one is known. */
export function predictStart({ argv, env }: Pick<NodeJS.Process, 'argv' | 'env'>): StartRecord | undefined {
  const words = wordsOf(argv);
  return readStarts(fileOf(env)).find((start) => start.words === words);
}

/** Throws when there is no index. */
export function rememberStart({ argv, env }: NodeJS.Process, { folder, indexFile }: IndexedFolder): void {
  accessSync(indexFile);
  const file = fileOf(env);
  const start: StartRecord = { words: wordsOf(argv), folder, indexFile };
  const others = readStarts(file).filter(({ words }) => words !== start.words);
  replaceFileSync(file, JSON.stringify([start, ...others].slice(0, REMEMBERED)));
}

function fileOf(env: NodeJS.ProcessEnv): string {
  return join(cacheFolderOf(env), 'starts.json');
}

function readStarts(file: string): StartRecord[] {
  try {
    const starts: unknown = JSON.parse(readFileSync(file, 'utf8'));
    return Array.isArray(starts) ? starts.filter(isStart) : [];
  } catch {
    return [];
  }
}

function isStart(value: unknown): value is StartRecord {
  const { words, folder, indexFile } = (value ?? {}) as Record<string, unknown>;
  return typeof words === 'string' && typeof folder === 'string' && typeof indexFile === 'string';
}

/** A hash (FNV-1a), because arguments may hold a secret. A collision costs time and nothing else. */
function wordsOf(argv: readonly string[]): string {
  let hash = 0x811c9dc5;
  for (const byte of Buffer.from(JSON.stringify([process.cwd(), ...argv.slice(2)])))
    hash = Math.imul(hash ^ byte, 0x01000193);
  return (hash >>> 0).toString(16);
}
