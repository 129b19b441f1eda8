import { AppError } from '../shared/errors.ts';
import type { LogLevel } from '../shared/log.ts';

export function logLevelOf(text: string): LogLevel {
  if (text === 'debug' || text === 'info' || text === 'warn' || text === 'error') return text;
  throw new AppError('invalid_input', 'Unknown log level', {
    subject: text,
    hint: 'Use debug, info, warn or error.',
  });
}
