/** The binary. Problems go to stderr in one line each; stdout is the protocol's alone. */
import { CommanderError } from 'commander';
import * as z from 'zod';
import { type AppError, isAppError } from '../shared/errors.ts';
import { CommandFailure, exitCodeFor, inNameOf, nameOf } from './exit-code.ts';
import { createProgram } from './program.ts';

// Compiling validators pays after thousands of calls; a start makes a few.
z.config({ jitless: true });

const LAST_WORDS_MS = 1_000;

createProgram()
  .parseAsync()
  .then(
    // The command is done; what may still be going on in the background must not keep a client waiting.
    () => process.exit(),
    (error: unknown) => {
      const exitCode = report(error);
      // Of the command line itself: nothing has been opened, and its help may still be on its way out.
      if (error instanceof CommanderError) process.exitCode = exitCode;
      else endWith(exitCode);
    },
  );

/** However much had been opened when it failed: nothing of it may keep the process. */
function endWith(exitCode: number): void {
  process.exitCode = exitCode;
  setTimeout(() => process.exit(), LAST_WORDS_MS).unref();
  process.stderr.write('', () => process.exit());
}

function report(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  if (error instanceof CommandFailure) return tell(error.failure, error.exitCode);
  if (isAppError(error)) return tell(error, exitCodeFor(error));
  process.stderr.write(
    `${nameOf(process.argv)}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`,
  );
  return 1;
}

function tell({ message, hint }: AppError, exitCode: number): number {
  const called = nameOf(process.argv);
  process.stderr.write(`${called}: ${message}\n${hint === undefined ? '' : `${inNameOf(called, hint)}\n`}`);
  return exitCode;
}
