/**
 * What tools were seen to do. A tool that is classed as reading, and whose answer says that it changed something, or after
 * whose call its server announces changed lists or resources, is recorded and counts as writing from then on. Only
 * `action_classes` of the configuration lowers that again.
 */
import * as z from 'zod';
import { printable } from '../shared/printable.ts';
import { recordOf } from '../shared/records.ts';
import { forgetIn, openServerFile, type PlaneFiles, recordFor } from './server-file.ts';
import type { CatalogEntry, Observation } from './types.ts';

type Announcement = Exclude<Observation['what'], 'result'>;

/** The part of an upstream that is watched. */
interface Announcer {
  onAnnounced(listener: (what: Announcement, detail: string) => void): () => void;
}

export interface ObservedCall {
  readonly server: string;
  readonly tool: string;
  /** By everything that was known before the call. */
  readonly isReading: boolean;
}

export interface Observations {
  /** Adds what is known of the tools of a server. */
  applied(server: string, entries: readonly CatalogEntry[]): readonly CatalogEntry[];
  /** Reads what other processes have recorded. */
  refresh(): Promise<void>;
  /** Watches a call; the returned function takes its answer. */
  begin(call: ObservedCall, announcer: Announcer): (result: unknown) => void;
  forget(server: string): Promise<void>;
}

interface ObservationsOptions extends PlaneFiles {
  readonly now: () => number;
  readonly onObserved: (call: ObservedCall, seen: Observation) => void;
}

/** A server may announce a change just after its answer. */
const AFTERWARDS_MS = 250;
const MAX_BYTES = 4 * 1024 * 1024;
const MAX_DETAIL = 120;

const observation = z.strictObject({
  class: z.enum(['read_only', 'local_write', 'external', 'destructive']),
  what: z.enum(['result', 'list_changed', 'resource_updated']),
  detail: z.string(),
  at: z.number(),
});
type ServerObservations = Readonly<Record<string, Observation>>;

export function openObservations({ now, onObserved, ...place }: ObservationsOptions): Observations {
  const file = openServerFile<ServerObservations>(place, 'observed.json', {
    record: z.record(z.string(), observation),
    maxBytes: MAX_BYTES,
  });
  const known = new Map<string, Map<string, Observation>>();
  const open = new Map<string, Set<ObservedCall>>();
  const of = (server: string) => {
    const own = known.get(server) ?? new Map<string, Observation>();
    known.set(server, own);
    return own;
  };
  const record = (call: ObservedCall, what: Observation['what'], detail: string) => {
    const { server, tool } = call;
    if (!call.isReading || of(server).has(tool)) return;
    const seen: Observation = {
      class: 'local_write',
      what,
      detail: printable(detail, MAX_DETAIL),
      at: now(),
    };
    of(server).set(tool, seen);
    onObserved(call, seen);
    file
      .update((all) => ({
        value: { ...all, [server]: { ...recordFor(all, server), [tool]: seen } },
        result: undefined,
      }))
      // An observation that was not stored counts in this process, and the audit log has it.
      .catch(() => undefined);
  };
  return {
    applied(server, entries) {
      const own = known.get(server);
      if (!own || own.size === 0) return entries;
      return entries.map((entry) => {
        const { kind, name } = entry.definition;
        const observed = kind === 'tool' ? own.get(name) : undefined;
        return observed ? { ...entry, observed } : entry;
      });
    },
    async refresh() {
      for (const [server, tools] of Object.entries(await file.read()))
        for (const [tool, seen] of Object.entries(tools)) of(server).set(tool, seen);
    },
    begin(call, announcer) {
      const calls = open.get(call.server) ?? new Set();
      open.set(call.server, calls);
      calls.add(call);
      // While several calls are open, nobody knows which of them an announcement belongs to.
      const stop = announcer.onAnnounced((what, detail) => {
        if (calls.size === 1) record(call, what, detail);
      });
      return (result) => {
        const said = changeIn(result);
        if (said !== undefined) record(call, 'result', said);
        setTimeout(() => {
          calls.delete(call);
          stop();
        }, AFTERWARDS_MS).unref();
      };
    },
    async forget(server) {
      known.delete(server);
      await forgetIn(file, server);
    },
  };
}

const MAX_SAID = 300;
const DONE =
  'deleted|removed|erased|wiped|purged|dropped|truncated|destroyed|created|updated|inserted|overwritten|overwrote|wrote|written|saved|renamed|moved|sent|posted|published|transferred|paid|charged|refunded|executed|committed|pushed|merged|deployed|archived|revoked|terminated|killed|uploaded|installed|gelöscht|entfernt|erstellt|gesendet|überwiesen|borrado|eliminado|creado|enviado|supprimé|effacé|créé|envoyé|eliminato|cancellato|creato|inviato';
/** The thing that was changed must be named: `Created by Alex` and `Updated: 2026` are content. */
const OBJECT =
  '(?:\\d|["\'`/~]|(?:the|an?|your|all|new|file|files|folder|directory|records?|rows?|entry|entries|items?|messages?|emails?|notes?|pages?|users?|tables?|branch|issue|payment|funds)\\b|\\S+ successfully)';
const SAYS = [
  new RegExp(
    `^(?:ok|done|success)?[\\s:,.!✓✅]*(?:i |we )?(?:have |has )?(?:${DONE})(?:[.!]?$|\\s+${OBJECT})`,
    'iu',
  ),
  new RegExp(`\\bsuccessfully (?:${DONE})\\b`, 'iu'),
];
const COUNTS =
  /^(?:deleted|removed|created|updated|inserted|modified|affected|written|sent|upserted)(?:_?(?:count|rows|records|files|documents|items))?$|^(?:rows?_?affected|affected_?rows|changes_?made)$/i;

/** What an answer says that it changed: a short sentence, or a count. A long text is content, not a report. */
export function changeIn(result: unknown): string | undefined {
  const { content, structuredContent, isError } = recordOf(result);
  if (isError === true) return undefined;
  const [only, ...others] = Array.isArray(content) ? content : [];
  const { text } = recordOf(only);
  if (others.length === 0 && typeof text === 'string' && text.length <= MAX_SAID)
    if (SAYS.some((form) => form.test(text.trim()))) return text.trim();
  const counted = Object.entries(recordOf(structuredContent)).find(
    ([name, value]) => COUNTS.test(name) && (value === true || (typeof value === 'number' && value > 0)),
  );
  return counted && `${counted[0]}: ${String(counted[1])}`;
}
