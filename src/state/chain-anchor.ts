/**
 * Anchors of a chain: places elsewhere that get its end, at most once a second. A file gets a line for each end, so that
 * it may be append-only; a program gets the end on its standard input.
 */
import { spawn } from 'node:child_process';
import { open } from 'node:fs/promises';
import { AppError } from '../shared/errors.ts';
import type { ChainEnd } from './chain-seal.ts';
import { endOf } from './chain-seal.ts';
import { readTail } from './line-file.ts';

export interface ChainAnchor {
  /** The last end that was handed over, where it can be read back. */
  read(): Promise<ChainEnd | undefined>;
  /** Hands it over soon. */
  tell(end: ChainEnd): void;
  /** Resolves when the last end was handed over; rejects when it could not be. */
  flush(): Promise<void>;
}

interface AnchorOptions {
  /** A file, or a program with its arguments. */
  readonly to: string | readonly string[];
  readonly now: () => number;
  /** A failure between flushes. */
  readonly onFailure: (error: unknown) => void;
  readonly everyMs?: number;
}

const EVERY_MS = 1_000;
const PROGRAM_MS = 10_000;

export function openAnchor({ to, now, onFailure, everyMs = EVERY_MS }: AnchorOptions): ChainAnchor {
  let waiting: ChainEnd | undefined;
  let timer: NodeJS.Timeout | undefined;
  let handing = Promise.resolve();

  const handOver = async () => {
    const end = waiting;
    waiting = undefined;
    if (!end) return;
    const line = `${JSON.stringify({ time: new Date(now()).toISOString(), ...end })}\n`;
    await (typeof to === 'string' ? append(to, line) : feed(to, line));
  };
  const flush = (): Promise<void> => {
    clearTimeout(timer);
    timer = undefined;
    handing = handing.catch(() => {}).then(handOver);
    return handing;
  };
  return {
    read: async () => (typeof to === 'string' ? endOf((await readTail(to)).last) : undefined),
    tell(end) {
      if (waiting === undefined || waiting.seq < end.seq) waiting = end;
      timer ??= setTimeout(() => void flush().catch(onFailure), everyMs).unref();
    },
    flush,
  };
}

async function append(file: string, line: string): Promise<void> {
  const handle = await open(file, 'a', 0o600);
  try {
    await handle.appendFile(line);
    await handle.datasync();
  } finally {
    await handle.close();
  }
}

function feed([program = '', ...args]: readonly string[], line: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { stdio: ['pipe', 'ignore', 'ignore'], timeout: PROGRAM_MS });
    child.once('error', reject);
    child.once('close', (code) => {
      if (code === 0) resolve();
      else
        reject(
          new AppError('upstream_failed', 'The anchor command failed', { subject: `exit code ${code}` }),
        );
    });
    child.stdin.on('error', () => {}).end(line);
  });
}
