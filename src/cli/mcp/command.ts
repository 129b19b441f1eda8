/**
 * A subcommand of `quire mcp`: data, and one function that knows nothing of terminals. Also the arguments that several
 * subcommands share, and how the values of flags are read.
 */
import type { Environment, PlaneFile } from '../../config/plane-file.ts';
import { AppError } from '../../shared/errors.ts';
import { printable } from '../../shared/printable.ts';
import type { Ask } from '../ask.ts';
import type { View } from '../table.ts';
import type { McpFailure } from './exit.ts';

interface McpArgument {
  readonly name: string;
  readonly description: string;
  readonly optional?: true;
  /** Takes all words that are left; they are `words` of the call. */
  readonly isRest?: true;
}

export interface McpOption {
  /** As commander reads it: `--limit <n>`. */
  readonly flag: string;
  readonly description: string;
  readonly default?: string;
  /** The words it takes, where they are a fixed list. */
  readonly choices?: readonly string[];
  /** May be given several times; the value is a list. */
  readonly repeatable?: true;
}

export interface McpCommand {
  readonly name: string;
  readonly summary: string;
  readonly arguments?: readonly McpArgument[];
  readonly options?: readonly McpOption[];
  /** Command lines without `quire mcp`, each with its meaning. */
  readonly examples: readonly (readonly [line: string, does: string])[];
  /** Without it the command is not run without a configuration file. */
  readonly config?: 'optional';
  readonly run: (call: McpCall) => Promise<McpOutput>;
  /** A word that names no subcommand is an argument of this command. */
  readonly subcommands?: readonly McpCommand[];
}

export interface McpCall {
  /** How the program was called: `quire` or `sb`. */
  readonly program: string;
  readonly args: Readonly<Record<string, string | undefined>>;
  /** All arguments, in order. */
  readonly words: readonly string[];
  /** Keyed by long name, in camelCase. */
  readonly options: Readonly<Record<string, unknown>>;
  /** Never undefined for a command that needs it. */
  readonly config?: PlaneFile;
  readonly environment: Environment;
  readonly workingFolder: string;
  /** Aborted by Ctrl-C and when the time of `--timeout` is over. */
  readonly signal: AbortSignal;
  /** Value of `--timeout`. */
  readonly timeoutMs?: number;
  readonly isJson: boolean;
  /** Whether a person can answer a question. */
  readonly canAsk: boolean;
  /** Whether a person can confirm a decision: also the answer goes to a terminal, not into a pipe. */
  readonly canConfirm: boolean;
  /** Asks the person, on the terminal only. Not to be called without `canAsk`. */
  readonly ask: Ask;
  /** Prints a line to stdout at once, for a command that goes on. */
  readonly print: (text: string) => Promise<void>;
  /** Prints a line to stderr at once. */
  readonly tell: (text: string) => Promise<void>;
  /** Prints a line to stderr at the end; never part of the answer. */
  readonly note: (text: string) => void;
  /** Sets the progress text, shown when the command takes longer than a second. */
  readonly progress: (text: string) => void;
}

export interface McpOutput {
  /** Everything was printed already. */
  readonly isPrinted?: true;
  /** Printed with `--json`. */
  readonly data: unknown;
  /** Printed without `--json`. */
  readonly lines: (view: View) => OutputLines;
  /** The command has an answer, and still ends with this failure. */
  readonly failure?: McpFailure;
}

interface OutputLines {
  readonly lines: readonly string[];
  /** Columns there was no room for. */
  readonly hidden?: readonly string[];
}

/** An answer whose lines do not depend on the terminal. */
export function plainOutput(data: unknown, ...lines: string[]): McpOutput {
  return { data, lines: () => ({ lines }) };
}

export const SERVER = { name: 'server', description: 'its name in the configuration' };
export const ONE_SERVER = { name: 'server', description: 'only this one', optional: true } as const;

/** The value of a flag that takes one of a few words. */
export function choiceOf<Choice extends string>(
  name: string,
  given: unknown,
  { choices, hint }: { readonly choices: readonly Choice[]; readonly hint: string },
): Choice {
  const choice = choices.find((one) => one === given);
  if (choice !== undefined) return choice;
  throw new AppError('invalid_input', `Unknown ${name}`, { subject: printable(String(given), 40), hint });
}

interface NumberRange {
  readonly min: number;
  readonly max: number;
  /** For the message: "a number of seconds". */
  readonly unit?: string;
}

/** The value of a flag that takes a whole number; undefined where the flag was not given. */
export function numberOf(flag: string, given: unknown, range: NumberRange): number | undefined {
  if (given === undefined) return undefined;
  const { min, max, unit = 'a whole number' } = range;
  const value = /^\d{1,9}$/.test(String(given)) ? Number(given) : Number.NaN;
  if (value >= min && value <= max) return value;
  throw new AppError('invalid_input', `${flag} must be ${unit}, ${min} to ${max}`);
}
