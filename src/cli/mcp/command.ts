/** What a subcommand of `quire mcp` is: data, and one function that knows nothing of terminals. */
import type { PlaneFile } from '../../config/plane-file.ts';
import type { Environment } from '../command.ts';
import type { View } from '../table.ts';
import type { McpFailure } from './exit.ts';

interface McpArgument {
  readonly name: string;
  readonly description: string;
  readonly optional?: true;
}

export interface McpOption {
  /** As commander reads it: `--limit <n>`. */
  readonly flag: string;
  readonly description: string;
  readonly default?: string;
  /** May be given several times; the value is a list. */
  readonly repeatable?: true;
}

export interface McpCommand {
  readonly name: string;
  readonly summary: string;
  readonly arguments?: readonly McpArgument[];
  readonly options?: readonly McpOption[];
  /** What comes after `quire mcp`, and what it does. */
  readonly examples: readonly (readonly [line: string, does: string])[];
  /** `needed`: without a configuration file it is not run. */
  readonly config: 'needed' | 'optional';
  readonly run: (call: McpCall) => Promise<McpOutput>;
  /** Below this one. A word that is none of them is this one's own argument. */
  readonly subcommands?: readonly McpCommand[];
}

export interface AskOptions {
  /** What is typed is not shown. */
  readonly hidden?: boolean;
  readonly signal?: AbortSignal;
}

/** Undefined when there is no answer: the input has ended, or nobody needs it any more. */
export type Ask = (text: string, options?: AskOptions) => Promise<string | undefined>;

export interface McpCall {
  /** How the program was called: `quire` or `sb`. */
  readonly program: string;
  readonly args: Readonly<Record<string, string | undefined>>;
  /** By their long names, in camelCase. */
  readonly options: Readonly<Record<string, unknown>>;
  /** Always there for a command that needs it. */
  readonly config?: PlaneFile;
  readonly environment: Environment;
  readonly workingFolder: string;
  /** Aborted by Ctrl-C and when the time of `--timeout` is over. */
  readonly signal: AbortSignal;
  /** What `--timeout` says. */
  readonly timeoutMs?: number;
  /** Whether somebody is there to answer a question. */
  readonly canAsk: boolean;
  /** Asks them, on the terminal and nowhere else. Never without `canAsk`. */
  readonly ask: Ask;
  /** A line for whoever watches, at once. */
  readonly tell: (text: string) => Promise<void>;
  /** A line for whoever watches, at the end; never part of the answer. */
  readonly note: (text: string) => void;
  /** What is being done, shown when it takes longer than a second. */
  readonly progress: (text: string) => void;
}

export interface McpOutput {
  /** What `--json` prints. */
  readonly data: unknown;
  /** What is printed without it. */
  readonly lines: (view: View) => PrintedLines;
  /** The answer is there, but it is no good one. */
  readonly failure?: McpFailure;
}

interface PrintedLines {
  readonly lines: readonly string[];
  /** Columns there was no room for. */
  readonly hidden?: readonly string[];
}
