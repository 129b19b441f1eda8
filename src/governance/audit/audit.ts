/**
 * The audit log: what was proposed, decided, started and returned, each before the next may happen. Arguments
 * are in it as names, types and a digest, never as values.
 */
import { randomUUID } from 'node:crypto';
import { AppError } from '../../shared/errors.ts';
import type { Log } from '../../shared/log.ts';
import { type ChainOptions, openChain } from '../../state/chain.ts';
import type { ChainLine } from '../../state/chain-files.ts';
import { type ChainReport, readChain, readChainBack, verifyChain } from '../../state/chain-read.ts';
import type { CapabilityKind } from '../../upstream/definition.ts';
import { digestOf } from '../digest.ts';
import type { ActionClass, Outcome } from '../types.ts';

const MAX_NAMES = 40;
const MAX_DEPTH = 4;
/** Other names may be values, as in a map by address. */
const PLAIN_NAME = /^[A-Za-z_$][\w$.-]{0,39}$/;
const HAS_LONG_NUMBER = /\d{5}/;

type Shape = string | { readonly [name: string]: Shape };

function shapeOf(value: unknown, depth = 0): Shape {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value !== 'object') return typeof value;
  if (depth >= MAX_DEPTH) return 'object';
  const entries = Object.entries(value).filter(([, item]) => item !== undefined);
  const shown = entries.slice(0, MAX_NAMES).map(([name, item]) => [nameOf(name), shapeOf(item, depth + 1)]);
  const left = entries.length - shown.length;
  return Object.fromEntries(left > 0 ? [...shown, ['…', `${left} more`]] : shown);
}

function nameOf(name: string): string {
  return PLAIN_NAME.test(name) && !HAS_LONG_NUMBER.test(name) ? name : '<name>';
}

/** How a call ended. */
export const CALL_OUTCOMES = ['ok', 'tool_error', 'denied', 'timeout', 'cancelled', 'transport'] as const;
export type CallOutcome = (typeof CALL_OUTCOMES)[number];

interface CallFields {
  /** One id for all events of a call. */
  readonly call: string;
  readonly server: string;
  readonly capability: string;
  readonly kind: CapabilityKind;
}

export type AuditEvent =
  | (CallFields & {
      readonly event: 'proposed';
      readonly by: string;
      readonly class: ActionClass;
      readonly argsShape: Shape;
      readonly argsDigest: string;
    })
  | (CallFields & {
      readonly event: 'decided';
      readonly outcome: Outcome;
      readonly code: string;
      readonly rule: string;
      readonly approval?: string;
      /** The request was a completion of an argument, not a call. */
      readonly completes?: true;
    })
  | (CallFields & { readonly event: 'started'; readonly approval?: string })
  | (CallFields & {
      readonly event: 'returned';
      readonly outcome: CallOutcome;
      readonly ms: number;
      /** Codes of the scan of the result. */
      readonly findings?: readonly string[];
      /** What was done because of them. */
      readonly handling?: 'pass' | 'fence' | 'ask' | 'block';
    })
  | (CallFields & {
      /** A resource was kept as a note. */
      readonly event: 'compiled';
      readonly approval: string;
      readonly status: string;
      readonly sha256: string;
    })
  | {
      /** Counts of a server's nested requests since the last such record. */
      readonly event: 'nested';
      readonly server: string;
      readonly roots: number;
      readonly sampling: number;
      readonly accepted: number;
      readonly declined: number;
      readonly cancelled: number;
      /** Prompts that were kept from the model. */
      readonly refused?: number;
      readonly inputTokens?: number;
      readonly outputTokens?: number;
    }
  | {
      /** Messages of a server that were not passed on since the last such record, because there were too many. */
      readonly event: 'load';
      readonly server: string;
      readonly logs: number;
      readonly listChanges: number;
      readonly progress: number;
      readonly updates: number;
      readonly requests: number;
      readonly unknown: number;
    }
  | {
      /** One question of a server: a form, a page, a prompt for the model. */
      readonly event: 'asked';
      readonly server: string;
      readonly asked: 'elicitation' | 'sampling';
      readonly outcome: 'accept' | 'decline' | 'cancel' | 'pending';
      /** The message of a form or page, in the server's words, without secrets. */
      readonly message?: string;
      readonly wanted?: readonly string[];
      /** Identifies a prompt without revealing it. */
      readonly digest?: string;
      readonly approval?: string;
    }
  | {
      /** A person's answer to an approval. */
      readonly event: 'answered';
      readonly approval: string;
      readonly server: string;
      readonly capability: string;
      readonly outcome: string;
      readonly by: string;
      readonly scope?: string;
      /** ISO 8601. */
      readonly until?: string;
      readonly note?: string;
    }
  | {
      /** A tool that is classed as reading was seen to change something. */
      readonly event: 'observed';
      readonly server: string;
      readonly capability: string;
      readonly what: string;
      readonly detail: string;
      readonly class: ActionClass;
    }
  | {
      /** A person switched a server off, or on again. */
      readonly event: 'switched';
      readonly server: string;
      readonly outcome: 'on' | 'off';
      readonly by: string;
    }
  | {
      /** A person accepted a definition, its removal, or the instructions of a server. */
      readonly event: 'accepted';
      readonly server: string;
      readonly kind: CapabilityKind | 'instructions';
      readonly capability: string;
      readonly fingerprint?: string;
      readonly isRemoved?: true;
      readonly by: string;
    };

export type AuditRecord<E = AuditEvent> = E & Pick<ChainLine, 'seq' | 'time' | 'prev'>;

interface AuditOptions {
  readonly folder: string;
  readonly now?: () => number;
  readonly maxBytes?: number;
  readonly keepParts?: number;
  /** An event is written before its call proceeds, and flushed to disk a moment later. */
  readonly quick?: boolean;
  /** Receives the records of every process. */
  readonly follow?: NonNullable<ChainOptions['follow']>;
}

export interface Audit {
  /** Resolves once the events are written. When it rejects, the call must not proceed. */
  record(...events: AuditEvent[]): Promise<void>;
  /** Records only if `mayRecord` agrees, which is evaluated under the lock; returns whether it recorded. */
  recordIf(mayRecord: () => boolean, ...events: AuditEvent[]): Promise<boolean>;
  /** Feeds records of other processes to `follow`, at most every 200 ms. */
  catchUp(): void;
  /** Reads in a stream; skips events that are not the plane's. */
  read(options?: { readonly since?: number }): AsyncGenerator<AuditRecord>;
  /** From the newest to the oldest; `before` is the number of a record. */
  readBack(options?: { readonly before?: number }): AsyncGenerator<AuditRecord>;
  verify(options?: { readonly signal?: AbortSignal }): Promise<ChainReport>;
  /** Resolves once every record is on disk. */
  flush(): Promise<void>;
}

const NAME = 'audit';
const MAX_TEXT = 300;
const CATCH_UP_MS = 200;
const EVENTS = new Set([
  'proposed',
  'decided',
  'started',
  'returned',
  'compiled',
  'nested',
  'asked',
  'answered',
  'accepted',
  'switched',
  'observed',
]);

export function openAudit(options: AuditOptions): Audit {
  const chain = openChain({ ...options, name: NAME });
  let caughtUpAt = Number.NEGATIVE_INFINITY;
  const recordIf = async (mayRecord: () => boolean, ...events: AuditEvent[]) => {
    try {
      return await chain.appendIf(mayRecord, ...events.map(bounded));
    } catch (cause) {
      throw recordFailure(cause);
    }
  };
  return {
    recordIf,
    record: async (...events) => void (await recordIf(() => true, ...events)),
    catchUp() {
      if (performance.now() - caughtUpAt < CATCH_UP_MS) return;
      caughtUpAt = performance.now();
      chain.catchUp();
    },
    async *read(readOptions) {
      for await (const line of readChain(options.folder, NAME, readOptions))
        if (EVENTS.has(line.event)) yield line as unknown as AuditRecord;
    },
    async *readBack(readOptions) {
      for await (const line of readChainBack(options.folder, NAME, readOptions))
        if (EVENTS.has(line.event)) yield line as unknown as AuditRecord;
    },
    verify: (verifyOptions) => verifyChain(options.folder, NAME, verifyOptions),
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

/** The audit fields of a call's arguments. */
export function argumentsOf(args: unknown): { argsShape: Shape; argsDigest: string } {
  return { argsShape: shapeOf(args ?? {}), argsDigest: digestOf(args ?? {}) };
}

interface AuditedCall<T> extends CallFields {
  /** Evaluated under the lock of the audit log, just before the call starts. */
  readonly mayStart?: () => boolean;
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

/** `mayStart` refused: nothing was recorded and nothing has run. */
export class StartRefusal extends Error {}

/**
 * Runs a call between its `started` and `returned` records. Without the first the call does not run. Without the second
 * the answer still goes out, since the call has happened; the next call will fail.
 */
export async function runAudited<T>(audit: Audit, work: AuditedCall<T>): Promise<T> {
  const {
    run,
    outcomeOf,
    findingsOf,
    handlingOf,
    outcomeOfError,
    log,
    approval,
    before = [],
    ...rest
  } = work;
  const { mayStart = () => true, ...call } = rest;
  const started = { event: 'started', ...call, approval } as const;
  if (!(await audit.recordIf(mayStart, ...before, started))) throw new StartRefusal();
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
  const entries = Object.entries(event).map(([name, value]) => [
    name,
    typeof value === 'string' ? value.slice(0, MAX_TEXT) : value,
  ]);
  return Object.fromEntries(entries) as AuditEvent;
}

function recordFailure(cause: unknown): AppError {
  const known = cause instanceof AppError ? cause : undefined;
  return new AppError('internal', 'The audit log cannot be written, so the call does not run', {
    subject: known?.message ?? String((cause as NodeJS.ErrnoException)?.code),
    hint: known?.hint ?? 'Is the disk full or read-only, or the state folder not yours?',
    cause,
  });
}
