/** Changes as text for a terminal. Names and texts are foreign and may hold anything, so all of it is made printable. */
import type { Change, ChangeAuthor, RecordedEdit } from '../../history/change.ts';
import { printable, printableText } from '../../shared/printable.ts';
import type { View } from '../table.ts';

type Colours = Pick<View, 'color'>;

/** Local time, to the minute. */
export function timeOf(at: number): string {
  const time = new Date(at);
  const two = (part: number) => String(part).padStart(2, '0');
  const date = `${time.getFullYear()}-${two(time.getMonth() + 1)}-${two(time.getDate())}`;
  return `${date} ${two(time.getHours())}:${two(time.getMinutes())}`;
}

export function authorOf({ client, principal }: ChangeAuthor): string {
  const isNamed = principal !== undefined && principal !== 'anonymous';
  if (client === undefined) return isNamed ? principal : 'unknown';
  return isNamed ? `${client} (${principal})` : client;
}

export function notesOf({ edits }: Pick<Change, 'edits'>): string {
  const [first, ...rest] = edits;
  if (!first) return '';
  return rest.length === 0 ? noteOf(first) : `${noteOf(first)} and ${rest.length} more`;
}

export function noteOf({ path, to, title, part }: RecordedEdit): string {
  const place = part === undefined ? path : `${path}, ${part}`;
  const name = title === undefined ? place : `${title} (${place})`;
  return to === undefined ? name : `${name} → ${to}`;
}

/** For a change that is not simply done. */
export function stateOf({ edits }: Pick<Change, 'edits'>): string | undefined {
  if (edits.some(({ state }) => state === 'unknown')) return 'cut off; what became of it is not known';
  return edits.some(({ state }) => state === 'open') ? 'not finished' : undefined;
}

const COLOURS: Readonly<Record<string, number>> = { '+': 32, '-': 31, '@': 36 };

export function diffLines(diff: string, { color }: Colours): string[] {
  if (diff === '') return [];
  return diff.split('\n').map((line) => {
    const text = printableText(line).replace(/\n/g, ' ');
    const colour = COLOURS[line[0] ?? ''];
    return color && colour !== undefined ? `\u001b[${colour}m${text}\u001b[39m` : text;
  });
}

export function bold(text: string, { color }: Colours): string {
  const clean = printable(text);
  return color ? `\u001b[1m${clean}\u001b[22m` : clean;
}

export function plural(count: number, noun: string): string {
  return count === 1 ? `1 ${noun}` : `${count} ${noun}s`;
}
