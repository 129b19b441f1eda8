/**
 * Has V8 clean up while the client is quiet. Left alone, it keeps what indexing and many searches have used up, which
 * may be half of the memory of the process, until new work needs the room.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { WarmUpTarget } from '../app/services.ts';

const LOOK_EVERY_MS = 5_000;
const QUIET_MS = 2_000;
const LONG_QUIET_MS = 10_000;
/** Less is not worth a pause of some tens of milliseconds. */
const WORTH_IT_BYTES = 16 * 1024 * 1024;
/** The pause would be too long. */
const TOO_MUCH_BYTES = 512 * 1024 * 1024;
/** Also gives the system back the room for new objects. Takes several times as long on Node 22 and later. */
const THOROUGHLY = { type: 'major', execution: 'sync', flavor: 'last-resort' } as const;

/** Ends when the client leaves. */
export async function tidyMemory(
  { quietFor, signal }: WarmUpTarget,
  { lookEveryMs = LOOK_EVERY_MS, held: heldNow = heldBytes } = {},
): Promise<void> {
  let collect: NodeJS.GCFunction | undefined;
  let left = 0;
  let wasTidied = false;
  for (;;) {
    await sleep(lookEveryMs, undefined, { ref: false });
    if (signal.aborted) return;
    const held = heldNow();
    left = Math.min(left, held);
    const quiet = quietFor();
    const isThorough: boolean = wasTidied && quiet >= LONG_QUIET_MS;
    const isDue = isThorough || (held - left > WORTH_IT_BYTES && quiet >= QUIET_MS);
    if (!isDue || held > TOO_MUCH_BYTES) continue;
    collect ??= collector();
    if (isThorough) collect(THOROUGHLY);
    else collect();
    left = heldNow();
    wasTidied = !isThorough;
  }
}

function heldBytes(): number {
  const { total_heap_size: objects, external_memory: beside } = getHeapStatistics();
  return objects + beside;
}

/** V8 has this function in contexts that are made under the flag; the cache of compiled code is for a program without it. */
function collector(): NodeJS.GCFunction {
  setFlagsFromString('--expose-gc');
  try {
    return runInNewContext('gc');
  } finally {
    setFlagsFromString('--no-expose-gc');
  }
}
