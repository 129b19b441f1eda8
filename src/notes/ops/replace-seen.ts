/** Gives a note a new text on the word of a caller who has seen the old one. What was not seen is never replaced. */
import { AppError } from '../../shared/errors.ts';
import type { Notebook } from '../notebook.ts';
import type { NotePath } from '../path.ts';
import type { Note, WrittenNote } from '../store.ts';
import { textOf } from '../text.ts';
import type { VersionMarkers } from '../version-markers.ts';
import { assertRules } from './rules.ts';

export interface Replacing {
  readonly text: string;
  /** What the caller was given together with the text it has seen. */
  readonly marker: number;
  readonly caller: string;
}

export interface Replaced {
  readonly note: WrittenNote;
  /** The text was that already, and nothing was written. */
  readonly unchanged: boolean;
}

export async function replaceSeen(
  { notes, rules }: Pick<Notebook, 'notes' | 'rules'>,
  path: NotePath,
  replacing: Replacing,
  markers: VersionMarkers,
): Promise<Replaced> {
  const current = await notes.read(path);
  if (textOf(current) === replacing.text) return { note: current, unchanged: true };
  const version = seenVersion(current, replacing, markers);
  if (version !== current.version)
    throw new AppError('conflict', 'Note changed meanwhile', { subject: path });
  await assertRules({ rules }, path, replacing.text);
  return { note: await notes.write(path, replacing.text, { ifVersion: version }), unchanged: false };
}

/** Only for a page nothing is known of, as after a restart, is the time of change itself believed. */
function seenVersion(
  current: Note,
  { caller, marker }: Replacing,
  markers: VersionMarkers,
): string | undefined {
  const verdict = markers.judge(caller, current.path, marker);
  switch (verdict.kind) {
    case 'issued':
      return verdict.version;
    case 'foreign':
      return undefined;
    case 'unknown':
      return current.lastModified === marker ? current.version : undefined;
  }
}
