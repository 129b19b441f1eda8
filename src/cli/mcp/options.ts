/** The arguments and flags that several subcommands share, and how the values of flags are read. */
import { AppError } from '../../shared/errors.ts';
import { printable } from '../../shared/printable.ts';

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
