/** A mistyped command, which would otherwise be taken for a folder or a notebook. */
import type { Command } from 'commander';
import { AppError } from '../shared/errors.ts';
import { isThere } from '../shared/fs/errno.ts';
import { nearest } from '../shared/nearest.ts';

/** Refuses a first word that is almost a command and no path that exists. */
export async function refuseMistypedCommand(program: Command, words: readonly string[]): Promise<void> {
  let command = program;
  let line = program.name();
  for (const word of words) {
    const next = command.commands.find((one) => one.name() === word);
    if (next) {
      command = next;
      line += ` ${word}`;
      continue;
    }
    const suggestion = /^\w[\w-]*$/.test(word)
      ? nearest(
          word,
          command.commands.map((one) => one.name()),
        )
      : undefined;
    if (suggestion === undefined || (await isThere(word))) return;
    throw new AppError('invalid_input', 'Unknown command', {
      subject: word,
      hint: `Did you mean ${line} ${suggestion}? There is no folder of this name either.`,
    });
  }
}
