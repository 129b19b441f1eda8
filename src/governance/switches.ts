/**
 * Servers that a person has switched off while Quire runs. A switch only takes away: what the configuration does not
 * allow stays off. All processes that share the state folder follow it from the next call on.
 */
import { join } from 'node:path';
import * as z from 'zod';
import type { UpstreamServer } from '../config/control-plane.ts';
import { type Rejection, rejection } from '../upstream/definition.ts';
import { stampOf } from './files.ts';
import { openServerFile, type RecordsByServer, recordFor } from './server-file.ts';

interface SwitchedOff {
  readonly at: number;
  readonly by: string;
}

export type Switches = ReturnType<typeof openSwitches>;

const MAX_BYTES = 1024 * 1024;
const record = z.strictObject({ at: z.number(), by: z.string() });

export function openSwitches({ folder, now }: { readonly folder: string; readonly now: () => number }) {
  const path = join(folder, 'switched-off.json');
  const file = openServerFile<SwitchedOff>(path, { record, maxBytes: MAX_BYTES });
  let known: { readonly stamp: string; readonly records: RecordsByServer<SwitchedOff> } | undefined;
  return {
    /** Whether no server is switched off; does not wait. */
    isUnused: () => stampOf(path) === undefined,
    /** Undefined for a server that is not switched off. Asked several times in a call, so a file that is as it was is not read. */
    async of(server: string): Promise<SwitchedOff | undefined> {
      const stamp = stampOf(path);
      if (stamp === undefined) return undefined;
      if (known?.stamp === stamp) return recordFor(known.records, server);
      const records = await file.read();
      // A change during the read shows at the next look.
      known = { stamp, records };
      return recordFor(records, server);
    },
    set: (server: string, isOn: boolean, by: string): Promise<void> =>
      file.update((before) => {
        const { [server]: _, ...rest } = before;
        return { value: isOn ? rest : { ...rest, [server]: { at: now(), by } }, result: undefined };
      }),
  };
}

/** Why a server that was switched off is not used. */
export function rejectSwitchedOff({ at, by }: SwitchedOff, { name }: UpstreamServer): Rejection {
  const when = new Date(at).toISOString().slice(0, 16).replace('T', ' ');
  return rejection(
    'server_blocked',
    `${by} switched it off at ${when} UTC. quire mcp enable ${name} switches it on again.`,
  );
}
