/** Runs a command of the command line to its end. Errors go to stderr, one line each; stdout belongs to the protocol. */
import { CommanderError } from 'commander';
import { type AppError, isAppError } from '../shared/errors.ts';
import { CommandFailure, commandOf, exitCodeFor, inNameOf, prefixOf } from './exit-code.ts';
import { systemFailure } from './system-failure.ts';

const FLUSH_MS = 1_000;

export function runCommand(run: () => Promise<void>): void {
  letReadersLeave();
  run().then(
    // Background work must not keep the process alive after the command is done.
    () => process.exit(),
    (error: unknown) => {
      const exitCode = report(error);
      // An error of the command line itself: nothing has been opened, and the help text may still be being written.
      if (error instanceof CommanderError) process.exitCode = exitCode;
      else endWith(exitCode);
    },
  );
}

/** A reader that closes the pipe early (`| head`) has what it wants; any other failure to write is one of the command. */
function letReadersLeave(): void {
  const onError = ({ code = '' }: NodeJS.ErrnoException) => {
    if (code !== 'EPIPE' && code !== 'ECONNRESET') process.exitCode = 1;
  };
  process.stdout.on('error', onError);
  process.stderr.on('error', onError);
}

/** Exits at once, so that nothing opened before the failure keeps the process alive. */
function endWith(exitCode: number): void {
  process.exitCode = exitCode;
  setTimeout(() => process.exit(), FLUSH_MS).unref();
  process.stderr.write('', () => process.exit());
}

function report(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  if (error instanceof CommandFailure) return print(error.failure, error.exitCode);
  if (isAppError(error)) return print(error, exitCodeFor(error));
  const failure = systemFailure(error);
  if (failure) return print(failure, exitCodeFor(failure));
  process.stderr.write(
    `${prefixOf(command())}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`,
  );
  return 1;
}

function command(): string {
  return commandOf(process.argv, process.env);
}

function print({ message, hint }: AppError, exitCode: number): number {
  const said = hint === undefined ? '' : `${inNameOf(command(), hint)}\n`;
  process.stderr.write(`${prefixOf(command())}: ${message}\n${said}`);
  return exitCode;
}
