/** Settles the edits that crashed processes left open. */
import { stat, truncate } from 'node:fs/promises';
import { ifPresent } from '../shared/fs/errno.ts';
import type { Log } from '../shared/log.ts';
import type { Edit, EditState } from './change.ts';
import { ChangeLog, endLine } from './change-log.ts';
import { openFlushedFile } from './flushed-file.ts';
import { isClosed, lockSegment, segmentFile, segmentIds, writeIndex } from './segment.ts';
import { indexOfPack, scanPack } from './text-pack.ts';

/** Tells what became of an edit that was cut off. */
export type EditInspector = (edit: Edit) => Promise<EditState>;

export async function recover(folder: string, inspect: EditInspector, log: Log): Promise<void> {
  for (const id of await segmentIds(folder)) {
    if (await isClosed(folder, id)) continue;
    const lock = await lockSegment(folder, id);
    if (!lock) continue;
    try {
      const file = segmentFile(folder, id, 'changes');
      // Another process may have been quicker.
      const isLeft = !(await isClosed(folder, id)) && (await ifPresent(stat(file)));
      if (!isLeft || !(await settle(file, inspect, log))) continue;
      const texts = segmentFile(folder, id, 'texts');
      const { offsets, wholeBytes } = await scanPack(texts);
      await ifPresent(truncate(texts, wholeBytes));
      await writeIndex(folder, id, indexOfPack(offsets));
    } finally {
      lock.release();
    }
  }
}

/** Resolves to whether all edits are settled; those of notes that cannot be read now are tried at the next start. */
async function settle(file: string, inspect: EditInspector, log: Log): Promise<boolean> {
  const changes = await ChangeLog.read(file);
  let isSettled = true;
  const appended = await openFlushedFile(file, changes.wholeBytes);
  try {
    for (const { id: change, n, edit } of changes.openEdits()) {
      const state = await inspect(edit).catch((): EditState => 'open');
      if (state === 'open') {
        isSettled = false;
        continue;
      }
      await appended.append(endLine(change, n, state));
      if (state !== 'failed')
        log('warn', 'a change was cut off; the history says what became of it', { change, state });
    }
  } finally {
    await appended.close();
  }
  return isSettled;
}
