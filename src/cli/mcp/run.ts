/** Runs a subcommand of `quire mcp`: configuration file, timeout, Ctrl-C, output, exit code. */
import { findPlaneFile, type PlaneFile } from '../../config/plane-file.ts';
import { AppError } from '../../shared/errors.ts';
import { printable } from '../../shared/printable.ts';
import { inNameOf, prefixOf } from '../exit-code.ts';
import { cutTo } from '../table.ts';
import type { McpCall, McpCommand, McpOutput } from './command.ts';
import { asConfigFailure, failureOf, McpFailure } from './exit.ts';
import { progressWidth, type Terminal, viewOf } from './terminal.ts';

const SHOWN_AFTER_MS = 1_000;
const CLEAR_LINE = '\r\u001b[2K';

/** A progress line on stderr: only after a second, only on a terminal, erased when the answer comes. */
function createProgress(write: (text: string) => void, width: number) {
  let current = 'working';
  let isShown = false;
  const show = () => {
    isShown = true;
    write(`${CLEAR_LINE}${cutTo(`… ${printable(current, 300)}`, width - 1)}`);
  };
  const timer = setTimeout(show, SHOWN_AFTER_MS);
  timer.unref();
  return {
    say(text: string) {
      current = text;
      if (isShown) show();
    },
    end() {
      clearTimeout(timer);
      if (isShown) write(CLEAR_LINE);
      isShown = false;
    },
  };
}

const noProgress: ReturnType<typeof createProgress> = { say() {}, end() {} };

/** The flags every subcommand has. */
export interface GlobalOptions {
  readonly config?: string;
  readonly json: boolean;
  readonly noColor: boolean;
  readonly quiet: boolean;
  /** Tables are neither wrapped nor cut. */
  readonly wide: boolean;
  readonly timeoutMs?: number;
}

export interface McpInvocation extends Pick<McpCall, 'program' | 'args' | 'words' | 'options'> {
  readonly command: McpCommand;
  readonly global: GlobalOptions;
}

/** Resolves to the exit code. */
export async function runMcp(invocation: McpInvocation, terminal: Terminal): Promise<number> {
  const { global, program } = invocation;
  try {
    const output = await answerOf(invocation, terminal);
    if (output.isPrinted) return output.failure?.exitCode ?? 0;
    if (global.json) await terminal.out(jsonOf(output.failure, output.data, program));
    else await printOutput(output, invocation, terminal);
    if (output.failure === undefined) return 0;
    if (!global.json) await printFailure(output.failure, program, terminal);
    return output.failure.exitCode;
  } catch (error) {
    return fail(error, { json: global.json, program }, terminal);
  }
}

/** Prints an error; resolves to its exit code. */
export async function fail(
  error: unknown,
  { json, program }: { readonly json: boolean; readonly program: string },
  terminal: Terminal,
): Promise<number> {
  const failure = failureOf(error);
  if (json) await terminal.out(jsonOf(failure, null, program));
  else await printFailure(failure, program, terminal);
  return failure.exitCode;
}

async function answerOf(invocation: McpInvocation, terminal: Terminal): Promise<McpOutput> {
  const { command, global, ...given } = invocation;
  const { signal, ended, stop } = limits(terminal, global.timeoutMs);
  const progress =
    terminal.isWatched && !global.quiet && !global.json
      ? createProgress((text) => void terminal.err(text), progressWidth(terminal))
      : noProgress;
  const notes: string[] = [];
  const canAsk = terminal.canAsk && !global.json;
  try {
    const config = await configOf(command, global, terminal);
    return await Promise.race([
      ended,
      command.run({
        ...given,
        config,
        timeoutMs: global.timeoutMs,
        environment: terminal.environment,
        workingFolder: terminal.workingFolder,
        signal,
        isJson: global.json,
        canAsk,
        canConfirm: canAsk && terminal.columns !== undefined,
        print: async (text) => {
          progress.end();
          await terminal.out(`${text}\n`);
        },
        ask: async (text, options) => {
          if (!canAsk) return undefined;
          progress.end();
          const signals = [signal, options?.signal].filter((one) => one !== undefined);
          return terminal.ask(text, { ...options, signal: AbortSignal.any(signals) });
        },
        tell: async (text) => {
          progress.end();
          if (!global.quiet) await terminal.err(`${inNameOf(given.program, text)}\n`);
        },
        note: (text) => void notes.push(text),
        progress: progress.say,
      }),
    ]);
  } catch (error) {
    // An aborted command may fail in any way; the abort reason is the cause to report.
    throw signal.aborted ? signal.reason : error;
  } finally {
    stop();
    progress.end();
    if (!global.quiet) for (const text of notes) await terminal.err(`${inNameOf(given.program, text)}\n`);
  }
}

/** Time for a command to cancel its requests. */
const LEAVE_MS = 3_000;

/** The first Ctrl-C or the timeout aborts a command; a second one, or some seconds, ends the wait: `ended` rejects. */
function limits(terminal: Terminal, timeoutMs: number | undefined) {
  const controller = new AbortController();
  const { signal } = controller;
  const timers: NodeJS.Timeout[] = [];
  let end: (reason: unknown) => void = () => {};
  const ended = new Promise<never>((_, reject) => {
    end = reject;
  });
  ended.catch(() => {});
  const abort = (reason: Error) => {
    if (signal.aborted) return end(signal.reason);
    controller.abort(reason);
    timers.push(setTimeout(() => end(signal.reason), LEAVE_MS));
  };
  const forget = terminal.onInterrupt(() => abort(new McpFailure('cancelled', { message: 'Cancelled' })));
  if (timeoutMs !== undefined) timers.push(setTimeout(() => abort(tooSlow(timeoutMs)), timeoutMs));
  return {
    signal,
    ended,
    stop() {
      forget();
      for (const timer of timers) clearTimeout(timer);
    },
  };
}

function tooSlow(timeoutMs: number): AppError {
  return new AppError('timeout', `Not done within ${timeoutMs} ms`, {
    hint: 'Give a larger --timeout, or try again later.',
  });
}

async function configOf(
  command: McpCommand,
  { config: named }: GlobalOptions,
  { environment, workingFolder }: Terminal,
): Promise<PlaneFile | undefined> {
  try {
    const file = await findPlaneFile({ environment, workingFolder, named });
    if (file === undefined && command.config !== 'optional')
      throw new AppError('not_found', 'No configuration file found', {
        hint: 'Write quire.yaml in this folder with quire init, or name a file with --config.',
      });
    return file;
  } catch (error) {
    throw asConfigFailure(error);
  }
}

async function printOutput(output: McpOutput, { global }: McpInvocation, terminal: Terminal): Promise<void> {
  const { lines, hidden = [] } = output.lines(viewOf(terminal, global.noColor, global.wide));
  if (lines.length > 0) await terminal.out(`${lines.join('\n')}\n`);
  if (hidden.length > 0 && !global.quiet)
    await terminal.err(
      `Not shown for lack of room: ${hidden.join(', ')}. --wide and --json show everything.\n`,
    );
}

async function printFailure(
  { message, hint }: McpFailure,
  program: string,
  terminal: Terminal,
): Promise<void> {
  const text = `${message}\n${hint === undefined ? '' : `${hint}\n`}`;
  await terminal.err(`${prefixOf(program)}: ${inNameOf(program, text)}`);
}

/** `ok` and `data` always, `error` after a failure. */
function jsonOf(failure: McpFailure | undefined, data: unknown, program: string): string {
  const error = failure && {
    code: failure.code,
    message: inNameOf(program, failure.message),
    hint: failure.hint !== undefined ? inNameOf(program, failure.hint) : undefined,
    exit_code: failure.exitCode,
    details: Object.keys(failure.details).length > 0 ? failure.details : undefined,
  };
  return `${JSON.stringify({ ok: failure === undefined, data: data ?? null, error }, null, 2)}\n`;
}
