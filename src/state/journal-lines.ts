/** The journal's lines: a heading, then one line of JSON for each change. */
import { AppError } from '../shared/errors.ts';
import type { Entries, Entry } from './entries.ts';

export const HEADING = '{"format":"quire state 1"}\n';

const NEWLINE = 10;

export function putLine(key: string, { text, expiresAt }: Entry): string {
  const until = expiresAt === undefined ? '' : `,"until":${expiresAt}`;
  return `{"key":${JSON.stringify(key)},"value":${text}${until}}\n`;
}

export function goneLine(key: string): string {
  return `{"key":${JSON.stringify(key)},"gone":true}\n`;
}

export interface Replay {
  readonly lines: number;
  /** Numbers of the lines that make no sense, from 1. */
  readonly damaged: readonly number[];
  /** Up to where the file is whole; after that is a line that was never finished. */
  readonly wholeBytes: number;
}

/** Does to `entries` what the journal says. */
export function replay(bytes: Buffer, entries: Entries): Replay {
  const damaged: number[] = [];
  let lines = 0;
  let start = 0;
  for (let end = bytes.indexOf(NEWLINE); end >= 0; end = bytes.indexOf(NEWLINE, start)) {
    lines++;
    if (!apply(bytes.toString('utf8', start, end), entries)) damaged.push(lines);
    start = end + 1;
  }
  return { lines, damaged, wholeBytes: start };
}

function apply(line: string, entries: Entries): boolean {
  let change: unknown;
  try {
    change = JSON.parse(line);
  } catch {
    return false;
  }
  if (typeof change !== 'object' || change === null) return false;
  if ('format' in change) return assertFormat(line);
  const { key, value, until, gone } = change as Record<string, unknown>;
  if (typeof key !== 'string') return false;
  if (gone === true) {
    entries.delete(key);
    return true;
  }
  if (value === undefined || (until !== undefined && typeof until !== 'number')) return false;
  entries.set(key, { text: JSON.stringify(value), ...(until !== undefined && { expiresAt: until }) });
  return true;
}

function assertFormat(line: string): true {
  if (`${line}\n` === HEADING) return true;
  throw new AppError('unsupported', 'The state folder was written by another version of Quire', {
    subject: line.slice(0, 100),
    hint: 'Use the version that wrote it, or give this server a state folder of its own.',
  });
}
