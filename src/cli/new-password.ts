/** A new password: asked twice at a terminal, or one line of a pipe. */
import { hashPassword } from '../oauth/passwords.ts';
import { AppError } from '../shared/errors.ts';
import { askLine, type Questions } from './ask.ts';

/** The bcrypt hash; a password that cannot be used is refused with the reason. */
export async function askNewPassword(questions: Questions): Promise<string> {
  const password = await questions.askSecret('Password');
  // Refused before it is typed a second time.
  const hash = await hashPassword(password);
  if ((await questions.askSecret('Repeat the password')) === password) return hash;
  throw new AppError('invalid_input', 'The two passwords are not the same', {
    hint: 'Nothing was written. Run the command again.',
  });
}

export async function pipedPassword(): Promise<string> {
  const line = await askLine('');
  if (line !== undefined) return hashPassword(line);
  throw new AppError('invalid_input', 'No password given', { hint: 'Type one, or pipe one line in.' });
}
