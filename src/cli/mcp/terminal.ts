/** The terminal of `quire mcp`: results on stdout, everything else on stderr. */
import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import type { Environment } from '../../config/plane-file.ts';
import { USUAL_WIDTH, type View } from '../table.ts';
import type { Ask, AskOptions } from './command.ts';

export interface Terminal {
  readonly out: (text: string) => Promise<void>;
  readonly err: (text: string) => Promise<void>;
  readonly environment: Environment;
  readonly workingFolder: string;
  /** Width of stdout; undefined when it is no terminal. */
  readonly columns: number | undefined;
  /** Whether stderr is a terminal. */
  readonly isWatched: boolean;
  /** Whether questions can be asked: both stdin and stderr are a terminal. */
  readonly canAsk: boolean;
  /** One line of stdin, after a text on stderr. */
  readonly ask: Ask;
  /** Calls back on SIGINT and SIGTERM, until the returned function is called. */
  readonly onInterrupt: (interrupted: () => void) => () => void;
}

/** Narrower tables are unreadable. */
const MIN_WIDTH = 20;

export function viewOf({ columns, environment }: Terminal, noColor: boolean): View {
  const isPlain = columns === undefined || !!environment.NO_COLOR || environment.TERM === 'dumb';
  return { width: Math.max(MIN_WIDTH, columns ?? USUAL_WIDTH), color: !isPlain && !noColor };
}

export function systemTerminal(): Terminal {
  const { stdin, stdout, stderr, env } = process;
  return {
    out: (text) => written(stdout, text),
    err: (text) => written(stderr, text),
    environment: env,
    workingFolder: process.cwd(),
    columns: stdout.isTTY ? stdout.columns : undefined,
    isWatched: stderr.isTTY === true,
    canAsk: stdin.isTTY === true && stderr.isTTY === true,
    ask: askOn,
    onInterrupt(interrupted) {
      process.on('SIGINT', interrupted).on('SIGTERM', interrupted);
      return () => void process.off('SIGINT', interrupted).off('SIGTERM', interrupted);
    },
  };
}

const MAX_ANSWER = 10_000;

/** Each question has a reader of its own, so that stdin is not read between questions. */
async function askOn(text: string, { hidden = false, signal }: AskOptions = {}): Promise<string | undefined> {
  const { stdin, stderr } = process;
  if (signal?.aborted) return undefined;
  await written(stderr, text);
  const nowhere = new Writable({ write: (_, __, done) => done() });
  const lines = createInterface({
    input: stdin,
    output: hidden ? nowhere : undefined,
    terminal: hidden ? true : undefined,
  });
  // Without echo the terminal is in raw mode, where Ctrl-C is no signal.
  lines.on('SIGINT', () => process.kill(process.pid, 'SIGINT'));
  const answer = await new Promise<string | undefined>((resolve) => {
    lines.once('line', (line) => resolve(line.slice(0, MAX_ANSWER)));
    lines.once('close', () => resolve(undefined));
    signal?.addEventListener('abort', () => resolve(undefined), { once: true });
  });
  lines.close();
  if (hidden || answer === undefined) await written(stderr, '\n');
  return answer;
}

/** A reader that closes the pipe early (`| head`) is no failure. */
function written(stream: NodeJS.WriteStream, text: string): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      // Late errors of a closed pipe come after the callback.
      setImmediate(() => stream.off('error', done));
      resolve();
    };
    stream.on('error', done);
    stream.write(text, done);
  });
}
