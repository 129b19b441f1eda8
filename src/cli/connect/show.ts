/** The words and diffs of `quire connect`. */
import { createTwoFilesPatch } from 'diff';
import { type Client, type ClientSystem, entryFor, type Target } from '../../clients/client.ts';
import { snippet } from '../../clients/formats/render.ts';
import { usualPlace } from '../../clients/places.ts';
import { printableText } from '../../shared/printable.ts';
import { redactText } from '../../shared/redact.ts';
import type { FileChange } from './plan.ts';

const COLORS: Readonly<Record<string, string>> = { '+': '\u001b[32m', '-': '\u001b[31m', '@': '\u001b[36m' };
const PLAIN = '\u001b[0m';

/** A file on one line has no lines to compare: beyond this length, only the surroundings of the change are shown. */
const MAX_LINE = 2_000;
const SURROUNDINGS = 100;

/** A unified diff. Keys of other servers that happen to be near the change are not shown. */
export function diffOf({ place, before, after }: FileChange, color: boolean): string {
  const [old, now] = [hushed(before), hushed(after)];
  const isLong = now.split('\n').some((line) => line.length > MAX_LINE);
  const patch = createTwoFilesPatch(place.file, place.file, old, now, '', '', { context: 3 });
  const lines = printableText(patch).trimEnd().split('\n').slice(2);
  const shown = isLong ? [...lines.slice(0, 2), ...excerptOf(old, now)] : lines;
  return shown
    .map((line, at) => {
      const start = at < 2 ? undefined : COLORS[line[0] ?? ''];
      return color && start ? start + line + PLAIN : line;
    })
    .join('\n');
}

function hushed(text: string): string {
  return redactText(text, Math.max(text.length, 1));
}

/** What differs, with a little of what is around it. */
function excerptOf(before: string, after: string): string[] {
  const shorter = Math.min(before.length, after.length);
  let start = 0;
  while (start < shorter && before[start] === after[start]) start += 1;
  let end = 0;
  while (end < shorter - start && before.at(-1 - end) === after.at(-1 - end)) end += 1;
  const around = (text: string) =>
    text.slice(Math.max(0, start - SURROUNDINGS), text.length - Math.max(0, end - SURROUNDINGS));
  const marked = (sign: string, text: string) =>
    printableText(around(text))
      .split('\n')
      .map((line) => `${sign}${line}`);
  return [...marked('-', before), ...marked('+', after)];
}

export function titleOf({ client, place }: Pick<FileChange, 'client' | 'place'>): string {
  return place.edition === undefined ? client.title : `${client.title} (${place.edition})`;
}

/** For a client that is not on this machine. */
export function byHand(client: Client, targets: ReadonlyMap<string, Target>, system: ClientSystem): string {
  const entries = new Map(
    [...targets].map(([name, target]) => [name, entryFor(client, target, name, system)] as const),
  );
  const file = usualPlace(client, system)?.file ?? 'its configuration';
  return `${client.title} was not found on this machine. Where it is, add this to ${file}:\n\n${snippet(client, entries)}\n\n${client.next}\n`;
}
