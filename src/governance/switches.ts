/**
 * Servers that a person has switched off while Quire runs. A switch only takes away: what the configuration does not
 * allow stays off. All processes that share the state follow it from the next call on.
 */
import * as z from 'zod';
import type { UpstreamServer } from '../config/control-plane.ts';
import { type Rejection, rejection } from '../upstream/definition.ts';
import { filesOf, openServerFile, type PlaneFiles, type RecordsByServer, recordFor } from './server-file.ts';

interface SwitchedOff {
  readonly at: number;
  readonly by: string;
}

export type Switches = ReturnType<typeof openSwitches>;

const FILE = 'switched-off.json';
const MAX_BYTES = 1024 * 1024;
const record = z.strictObject({ at: z.number(), by: z.string() });

export function openSwitches({ now, ...place }: PlaneFiles & { readonly now: () => number }) {
  const { stampOf } = filesOf(place);
  const file = openServerFile<SwitchedOff>(place, FILE, { record, maxBytes: MAX_BYTES });
  let known: { readonly stamp: string; readonly records: RecordsByServer<SwitchedOff> } | undefined;
  return {
    /** Whether it is known without a wait that no server is switched off. */
    isUnused: () => stampOf !== undefined && stampOf(FILE) === undefined,
    /** Undefined for a server that is not switched off. Asked several times in a call, so a file that is as it was is not read. */
    async of(server: string): Promise<SwitchedOff | undefined> {
      // Without a stamp, what is read is kept for a moment.
      if (!stampOf) return recordFor(await file.read(), server);
      const stamp = stampOf(FILE);
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
