/** What the words for levels and formats of the log mean. */
import { AppError } from '../shared/errors.ts';
import type { LogFormat, LogLevel } from '../shared/log.ts';

export function logLevelOf(text: string): LogLevel {
  if (text === 'debug' || text === 'info' || text === 'warn' || text === 'error') return text;
  throw new AppError('invalid_input', 'Unknown log level', {
    subject: text,
    hint: 'Use debug, info, warn or error.',
  });
}

export function logFormatOf(text: string): LogFormat {
  if (text === 'json' || text === 'text') return text;
  throw new AppError('invalid_input', 'Unknown log format', { subject: text, hint: 'Use json or text.' });
}
