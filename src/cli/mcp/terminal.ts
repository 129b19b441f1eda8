/** The terminal of `quire mcp`: results on stdout, everything else on stderr. */
import type { Environment } from '../../config/plane-file.ts';
import { type Ask, askLine, written } from '../ask.ts';
import { USUAL_WIDTH, type View } from '../table.ts';

export interface Terminal {
  readonly out: (text: string) => Promise<void>;
  readonly err: (text: string) => Promise<void>;
  readonly environment: Environment;
  readonly workingFolder: string;
  /** Width of stdout; 0 when the terminal does not say, undefined when it is none. */
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

/** A pipe has no width unless `COLUMNS` says one, so nothing is wrapped for it; nor with `isWide`. */
export function viewOf({ columns, environment }: Terminal, noColor: boolean, isWide = false): View {
  const isPlain = columns === undefined || !!environment.NO_COLOR || environment.TERM === 'dumb';
  const width = isWide
    ? undefined
    : columns || (columnsIn(environment) ?? (columns === 0 ? USUAL_WIDTH : undefined));
  return { width: Math.max(MIN_WIDTH, width ?? Number.POSITIVE_INFINITY), color: !isPlain && !noColor };
}

function columnsIn({ COLUMNS = '' }: Environment): number | undefined {
  return /^[1-9]\d{0,3}$/.test(COLUMNS) ? Number(COLUMNS) : undefined;
}

/** A line on stderr that is overwritten must not wrap, wherever stdout goes. */
export function progressWidth({ columns }: Terminal): number {
  return Math.max(MIN_WIDTH, columns || USUAL_WIDTH);
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
    ask: askLine,
    onInterrupt(interrupted) {
      process.on('SIGINT', interrupted).on('SIGTERM', interrupted);
      return () => void process.off('SIGINT', interrupted).off('SIGTERM', interrupted);
    },
  };
}
