import { AppError } from '../../shared/errors.ts';
import { printable } from '../../shared/printable.ts';

/** A flag that takes one of a few words. */
export function choiceOf<Choice extends string>(
  name: string,
  given: unknown,
  { choices, hint }: { readonly choices: readonly Choice[]; readonly hint: string },
): Choice {
  const choice = choices.find((one) => one === given);
  if (choice !== undefined) return choice;
  throw new AppError('invalid_input', `Unknown ${name}`, { subject: printable(String(given), 40), hint });
}
