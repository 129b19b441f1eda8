/**
 * The audit log: what was proposed, decided, started and returned, each before the next may happen. Arguments
 * are in it as names, types and a digest, never as values.
 */
import { randomUUID } from 'node:crypto';
import { AppError, isAppError } from '../../shared/errors.ts';
import type { Log } from '../../shared/log.ts';
import { onceDone } from '../../shared/memoize.ts';
import { type Chain, type ChainOptions, openChain } from '../../state/chain.ts';
import { BrokenChain } from '../../state/chain-check.ts';
import { verifyExport } from '../../state/chain-export.ts';
import type { ChainReport } from '../../state/chain-read.ts';
import { type ChainSeal, chainKeyOf, readKey } from '../../state/chain-seal.ts';
import type { Decider } from '../decider.ts';
import type { ActionClass } from '../types.ts';
import {
  type AuditEvent,
  type AuditRecord,
  argumentsOf,
  type CallFields,
  type CallOutcome,
  EVENTS,
} from './events.ts';

export { type AuditEvent, type AuditRecord, argumentsOf, CALL_OUTCOMES, type CallOutcome } from './events.ts';

export interface AuditOptions {
  readonly folder: string;
  readonly now?: () => number;
  readonly maxBytes?: number;
  readonly keepParts?: number;
  /** An event is written before its call proceeds, and flushed to disk a moment later. */
  readonly quick?: boolean;
  /** Receives the records of every process. */
  readonly follow?: NonNullable<ChainOptions['follow']>;
  readonly seal?: () => Promise<ChainSeal | undefined>;
  readonly anchor?: NonNullable<ChainOptions['anchor']>;
  /** Recorded before the first record of this process, and then kept as known. */
  readonly notices?: {
    changes(isNewLog: () => Promise<boolean>): Promise<AuditEvent[]>;
    keep(): Promise<void>;
  };
  /** Where the log is kept, if not in the folder. */
  readonly open?: (options: Omit<ChainOptions, 'folder'>) => Chain;
}

export interface Audit {
  /** Resolves once the events are written. When it rejects, the call must not proceed. */
  record(...events: AuditEvent[]): Promise<void>;
  /** Records only if there is room, once all records before are counted or leave some; returns whether it recorded. */
  recordIf(room: () => number, ...events: AuditEvent[]): Promise<boolean>;
  /** Feeds records of other processes to `follow`, at most every 200 ms. */
  catchUp(): void;
  /** Reads in a stream; skips events that are not the plane's. */
  read(options?: { readonly since?: number }): AsyncGenerator<AuditRecord>;
  /** From the newest to the oldest; `before` is the number of a record. */
  readBack(options?: { readonly before?: number }): AsyncGenerator<AuditRecord>;
  verify(options?: { readonly signal?: AbortSignal }): Promise<ChainReport>;
  /** Throws when the log is not as it was left; cheap after the first time. */
  ready(): Promise<void>;
  /** Begins a new log after one that was changed. Undefined when it was not. */
  acknowledge(reason: string, decider: Decider): Promise<{ report: ChainReport; kept: string } | undefined>;
  /** All records as they are written, then the sealed end, to verify elsewhere. */
  export(options?: { readonly since?: number }): AsyncGenerator<string>;
  /** Resolves once every record is on disk. */
  flush(): Promise<void>;
}

const NAME = 'audit';
const MAX_TEXT = 300;
const CATCH_UP_MS = 200;
export function openAudit(options: AuditOptions): Audit {
  const chain = options.open?.({ ...options, name: NAME }) ?? openChain({ ...options, name: NAME });
  let caughtUpAt = Number.NEGATIVE_INFINITY;
  const notice = onceDone(async () => {
    const events = (await options.notices?.changes(() => chain.isNew())) ?? [];
    if (events.length === 0) return;
    await chain.append(...events.map(bounded));
    await options.notices?.keep();
  });
  let isNoticed = false;
  const recordIf = async (room: () => number, ...events: AuditEvent[]) => {
    try {
      if (!isNoticed) await notice();
      isNoticed = true;
      return await chain.appendIf(room, events.map(bounded));
    } catch (cause) {
      throw recordFailure(cause);
    }
  };
  return {
    recordIf,
    record: async (...events) => void (await recordIf(() => Number.POSITIVE_INFINITY, ...events)),
    catchUp() {
      if (performance.now() - caughtUpAt < CATCH_UP_MS) return;
      caughtUpAt = performance.now();
      chain.catchUp();
    },
    async *read(readOptions) {
      for await (const line of chain.read(readOptions))
        if (EVENTS.has(line.event)) yield line as unknown as AuditRecord;
    },
    async *readBack(readOptions) {
      for await (const line of chain.readBack(readOptions))
        if (EVENTS.has(line.event)) yield line as unknown as AuditRecord;
    },
    verify: (verifyOptions) => chain.verify(verifyOptions),
    async ready() {
      try {
        await chain.ready();
      } catch (cause) {
        throw recordFailure(cause);
      }
    },
    acknowledge: (reason, decider) =>
      chain.acknowledge(({ problems, lines }, kept) =>
        bounded({
          event: 'acknowledged',
          reason,
          problems: problems.map(({ code, seq }) => `${code} ${seq}`),
          lines,
          kept,
          ...decider,
        }),
      ),
    export: (exportOptions) => chain.export(exportOptions),
    flush: () => chain.flush(),
  };
}

interface Proposal extends Omit<CallFields, 'call'> {
  readonly by: string;
  readonly class: ActionClass;
  readonly args: unknown;
}

/** The first event of a new call, and the fields that all its events share. */
export function proposalOf({ server, capability, kind, by, class: actionClass, args }: Proposal) {
  const call: CallFields = { call: randomUUID(), server, capability, kind };
  const facts = { by, class: actionClass, ...argumentsOf(args) };
  return { call, proposed: { event: 'proposed', ...call, ...facts } satisfies AuditEvent };
}

interface AuditedCall<T> {
  readonly call: CallFields;
  /** For how many calls, asked under the lock of the audit log just before the call starts. */
  readonly room?: () => number;
  readonly approval?: string;
  /** Recorded together with the `started` event. */
  readonly before?: readonly AuditEvent[];
  readonly run: () => Promise<T>;
  readonly outcomeOf: (result: T) => CallOutcome;
  /** Codes of the findings in the result. */
  readonly findingsOf?: (result: T) => readonly string[];
  readonly handlingOf?: (result: T) => 'pass' | 'fence' | 'ask' | 'block';
  readonly outcomeOfError: (error: unknown) => CallOutcome;
  readonly log: Log;
}

/** There was no room: nothing was recorded and nothing has run. */
export class StartRefusal extends Error {}

/**
 * Runs a call between its `started` and `returned` records. Without the first the call does not run. Without the second
 * the answer still goes out, since the call has happened; the next call will fail.
 */
export async function runAudited<T>(audit: Audit, work: AuditedCall<T>): Promise<T> {
  const { call, run, outcomeOf, findingsOf, handlingOf, outcomeOfError, log, approval } = work;
  const { before = [], room = () => Number.POSITIVE_INFINITY } = work;
  const started = { event: 'started', ...call, approval } as const;
  if (!(await audit.recordIf(room, ...before, started))) throw new StartRefusal();
  const begun = performance.now();
  const end = async (
    outcome: CallOutcome,
    findings: readonly string[] = [],
    handling?: ReturnType<NonNullable<typeof handlingOf>>,
  ) => {
    const ms = Math.round(performance.now() - begun);
    const found = findings.length > 0 ? { findings: [...new Set(findings)], handling } : {};
    await audit.record({ event: 'returned', ...call, outcome, ms, ...found }).catch((error) => {
      log('error', 'the end of a call could not be written to the audit log', {
        call: call.call,
        error: String(error),
      });
    });
  };
  try {
    const result = await run();
    await end(outcomeOf(result), findingsOf?.(result), handlingOf?.(result));
    return result;
  } catch (error) {
    await end(outcomeOfError(error));
    throw error;
  }
}

function bounded(event: AuditEvent): AuditEvent {
  const isLong = (value: unknown) => typeof value === 'string' && value.length > MAX_TEXT;
  if (!Object.values(event).some(isLong)) return event;
  const entries = Object.entries(event).map(([name, value]) => [
    name,
    typeof value === 'string' ? value.slice(0, MAX_TEXT) : value,
  ]);
  return Object.fromEntries(entries) as AuditEvent;
}

function recordFailure(cause: unknown): AppError {
  if (cause instanceof BrokenChain) return brokenLog(cause);
  if (isAppError(cause) && cause.reason === 'audit_key') return cause;
  const known = cause instanceof AppError ? cause : undefined;
  return new AppError('internal', 'The audit log cannot be written, so the call does not run', {
    subject: known?.message ?? String((cause as NodeJS.ErrnoException)?.code),
    hint: known?.hint ?? 'Is the disk full or read-only, or the state folder not yours?',
    cause,
  });
}

/** No call runs until a person has looked: the log may hide what happened. */
function brokenLog({ problem: { code, seq } }: BrokenChain): AppError {
  const isKey = code === 'key_elsewhere';
  const acknowledge = 'quire mcp audit acknowledge --reason "…" keeps it and begins a new log.';
  return new AppError(
    'forbidden',
    isKey
      ? 'The audit log was sealed by a key that is not here, so no call runs'
      : 'The audit log was changed outside Quire, so no call runs',
    {
      subject: `${code} at line ${seq}`,
      hint: isKey
        ? `Bring the key file of the machine it comes from (QUIRE_AUDIT_KEY_FILE), or ${acknowledge}`
        : `quire mcp audit verify says what is wrong. Find out who changed it; then ${acknowledge}`,
      reason: 'audit_broken',
    },
  );
}

/** `keyFile` is read if it is there. Undefined when the file is no export. */
export async function verifyAuditExport(file: string, keyFile: string | undefined) {
  const key = keyFile === undefined ? undefined : await readKey(keyFile);
  return verifyExport(file, key && chainKeyOf(key));
}
