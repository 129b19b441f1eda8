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

/** A unified diff. Keys of other servers that happen to be near the change are not shown. */
export function diffOf({ place, before, after }: FileChange, color: boolean): string {
  const patch = createTwoFilesPatch(place.file, place.file, before, after, '', '', { context: 3 });
  const lines = printableText(patch).trimEnd().split('\n').slice(2);
  return lines
    .map((line) => {
      const sign = line[0] ?? '';
      const isFile = /^(?:---|\+\+\+) /.test(line);
      const shown = isFile ? line : redactText(line);
      return color && !isFile && COLORS[sign] ? COLORS[sign] + shown + PLAIN : shown;
    })
    .join('\n');
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
