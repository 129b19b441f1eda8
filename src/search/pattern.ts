/** A regular expression somebody typed, run with a limit on time: one that would take for ever is stopped and named. */
import { createContext, Script } from 'node:vm';
import { AppError } from '../shared/errors.ts';

const LIMIT_MS = 200;
const LONGEST = 500;

export function createPattern(source: string, caseSensitive: boolean): (text: string) => boolean {
  if (source.length > LONGEST) throw invalid(source, `it is longer than ${LONGEST} characters`);
  try {
    new RegExp(source, 'u');
  } catch (error) {
    throw invalid(
      source,
      error instanceof Error ? error.message.replace(/^Invalid regular expression: /, '') : '',
    );
  }
  const context = createContext({ text: '' });
  const flags = caseSensitive ? 'mu' : 'imu';
  const script = new Script(`new RegExp(${JSON.stringify(source)}, '${flags}').test(text)`);
  return (text) => {
    context.text = text;
    try {
      return script.runInContext(context, { timeout: LIMIT_MS }) === true;
    } catch (error) {
      // Made in another realm, it is no instance of our Error.
      if ((error as { code?: unknown } | undefined)?.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') {
        throw invalid(source, 'it takes too long; avoid nested repetition such as (a+)+');
      }
      throw error;
    }
  };
}

function invalid(source: string, why: string): AppError {
  return new AppError('invalid_input', 'Invalid regular expression', {
    subject: source.slice(0, 100),
    hint: why,
  });
}
