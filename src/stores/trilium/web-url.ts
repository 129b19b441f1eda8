/** Where people see a note: `<web address>/#root/…/<note id>`. */
import type { TriliumClient } from './client.ts';
import { isSystemId } from './wire/ids.ts';
import type { CallOptions, TriliumNote } from './wire/types.ts';

const MAX_HOPS = 50;

/** Of Trilium itself, from the address of its API. */
export function webBaseOf(url: string): string {
  return url
    .trim()
    .replace(/\/+$/, '')
    .replace(/\/etapi$/, '');
}

export function webUrl(base: string, path: readonly string[]): string {
  return `${base.replace(/\/+$/, '')}/#${path.join('/')}`;
}

/** By the first way up that ends at the root; the bare id where there is none. */
export async function webUrlOf(
  { notes }: Pick<TriliumClient, 'notes'>,
  note: Pick<TriliumNote, 'noteId' | 'parentNoteIds'>,
  base: string,
  options?: CallOptions,
): Promise<string> {
  const path = [note.noteId];
  let parents = note.parentNoteIds;
  while (path[0] !== 'root') {
    const next = parents.find((id) => !isSystemId(id)) ?? parents[0];
    if (next === undefined || path.includes(next) || path.length > MAX_HOPS)
      return webUrl(base, [note.noteId]);
    path.unshift(next);
    if (next !== 'root') parents = (await notes.get(next, options)).parentNoteIds;
  }
  return webUrl(base, path);
}
