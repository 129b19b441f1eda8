/** What the words for levels and formats of the log mean. */
import { LOG_LEVELS, type LogLevels } from '../config/door.ts';
import { AppError } from '../shared/errors.ts';
import type { LogFormat, LogThreshold } from '../shared/log.ts';

export function logLevelOf(text: string, words: LogLevels = LOG_LEVELS): LogThreshold {
  const level = new Map(Object.entries(words)).get(text.trim().toLowerCase());
  if (level) return level;
  throw new AppError('invalid_input', 'Unknown log level', {
    subject: text,
    hint: `Use ${choiceOf(words)}.`,
  });
}

/** The words one can choose from, those that mean the same as another left out. */
export function choiceOf(words: LogLevels = LOG_LEVELS): string {
  const names = Object.entries(words).flatMap(([word, level]) => (word === level ? [word] : []));
  return `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`;
}

export function logFormatOf(text: string): LogFormat {
  const format = text.trim().toLowerCase();
  if (format === 'json' || format === 'text') return format;
  throw new AppError('invalid_input', 'Unknown log format', { subject: text, hint: 'Use json or text.' });
}
