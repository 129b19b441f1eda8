/**
 * The file of approvals: events appended under a lock and flushed before they are acknowledged. An unreadable file
 * denies every call, because a revocation may be in it.
 */
import { join } from 'node:path';
import * as z from 'zod';
import { AppError } from '../../shared/errors.ts';
import { makePrivateFolder } from '../../shared/fs/private.ts';
import { replaceFile } from '../../shared/fs/replace-file.ts';
import { createFileMutex } from '../../state/file-mutex.ts';
import { appendLines, cutTo, readSmall } from '../../state/line-file.ts';
import { sha256 } from '../digest.ts';
import { APPROVAL_KINDS, APPROVAL_SCOPES, type Approval, type ApprovalState } from './approval.ts';

const id = z.string().regex(/^apr_[0-9A-HJKMNP-TV-Z]{26}$/);
const time = z.number().int().nonnegative();
const text = z.string();

const requested = z.strictObject({
  event: z.literal('requested'),
  at: time,
  id,
  kind: z.enum(APPROVAL_KINDS),
  server: text,
  capability: text,
  class: z.enum(['read_only', 'local_write', 'external', 'destructive']),
  argsDigest: text,
  argsPreview: text,
  fingerprint: text,
  policyVersion: text,
  requestedBy: text,
  session: text,
  expiresAt: time,
});
const approved = z.strictObject({
  event: z.literal('approved'),
  at: time,
  id,
  by: text,
  scope: z.enum(APPROVAL_SCOPES),
  expiresAt: time.optional(),
  note: text.optional(),
});
const decided = z.strictObject({
  event: z.enum(['denied', 'revoked']),
  at: time,
  id,
  by: text,
  note: text.optional(),
});
const ended = z.strictObject({ event: z.enum(['consumed', 'expired', 'superseded']), at: time, id });
/** A torn last line was cut off; its event was never acknowledged. */
const repaired = z.strictObject({
  event: z.literal('repaired'),
  at: time,
  bytes: z.number().int(),
  sha256: text,
});

const anyEvent = z.union([requested, approved, decided, ended, repaired]);
export type ApprovalEvent = z.infer<typeof anyEvent>;

export type ApprovalMap = Map<string, Approval>;

function readEvents(textOfFile: string): ApprovalEvent[] {
  return textOfFile
    .split('\n')
    .slice(0, -1)
    .map((line, index) => readEvent(line, index + 1));
}

export function readEvent(line: string, number: number): ApprovalEvent {
  try {
    return anyEvent.parse(JSON.parse(line));
  } catch (cause) {
    throw new AppError('invalid_input', 'A line cannot be understood', { subject: `line ${number}`, cause });
  }
}

export function fold(events: readonly ApprovalEvent[]): ApprovalMap {
  const approvals: ApprovalMap = new Map();
  for (const event of events) {
    if (event.event === 'repaired') continue;
    if (event.event === 'requested') {
      const { event: _, at, ...request } = event;
      approvals.set(event.id, { ...request, state: 'pending', createdAt: at });
    } else approvals.set(event.id, after(event, priorApproval(approvals, event)));
  }
  return approvals;
}

type ApprovalStep = Exclude<ApprovalEvent, { event: 'requested' | 'repaired' }>;

/** The states in which each event is allowed. */
const STEPS: Readonly<Record<ApprovalStep['event'], readonly ApprovalState[]>> = {
  approved: ['pending'],
  denied: ['pending'],
  revoked: ['approved'],
  consumed: ['approved'],
  expired: ['pending', 'approved'],
  superseded: ['pending', 'approved'],
};

function priorApproval(approvals: ApprovalMap, { event, id: wanted }: ApprovalStep): Approval {
  const found = approvals.get(wanted);
  if (found && STEPS[event].includes(found.state)) return found;
  throw new AppError('invalid_input', 'A line does not follow from those before it', {
    subject: `${wanted} ${event} after ${found?.state ?? 'nothing'}`,
  });
}

function after(event: ApprovalStep, before: Approval): Approval {
  const approval: Approval = { ...before, state: event.event };
  if (event.event === 'consumed') return { ...approval, usesLeft: 0 };
  if (!('by' in event)) return approval;
  const decided = { ...approval, decidedAt: event.at, decidedBy: event.by, note: event.note };
  if (event.event !== 'approved') return decided;
  const { scope, expiresAt } = event;
  return { ...decided, scope, usesLeft: scope === 'once' ? 1 : undefined, expiresAt };
}

const FILE = 'approvals.jsonl';
const MAX_BYTES = 32 * 1024 * 1024;

/** Where the events of approvals are kept. */
export interface ApprovalLog {
  read(): Promise<ApprovalMap>;
  /** Reads, decides and writes as one step among all processes. */
  step<T>(work: (transaction: ApprovalsTransaction) => Promise<T>): Promise<T>;
}

export interface ApprovalsTransaction {
  readonly approvals: ApprovalMap;
  readonly events: readonly ApprovalEvent[];
  readonly bytes: number;
  append(...events: ApprovalEvent[]): Promise<void>;
  /** Replaces all events. */
  rewrite(events: readonly ApprovalEvent[]): Promise<void>;
}

export function openApprovalsFile(folder: string, now: () => number): ApprovalLog {
  const file = join(folder, FILE);
  const inMutex = createFileMutex(`${file}.lock`);
  return {
    read: async () => (await load(file)).approvals,
    async step(work) {
      await makePrivateFolder(folder);
      return inMutex(async ({ assertHeld }) => {
        const { torn, wholeBytes, ...loaded } = await load(file);
        if (torn.length > 0) {
          await cutTo(file, wholeBytes, assertHeld);
          await appendLines(file, linesOf([noteOf(torn, now())]), assertHeld);
        }
        return work({
          ...loaded,
          bytes: wholeBytes,
          append: (...events) => appendLines(file, linesOf(events), assertHeld),
          rewrite: (events) => replaceFile(file, linesOf(events), { lastCheck: assertHeld }),
        });
      });
    },
  };
}

async function load(file: string) {
  try {
    const bytes = await readSmall(file, MAX_BYTES);
    const wholeBytes = bytes.lastIndexOf(10) + 1;
    const events = readEvents(bytes.toString('utf8', 0, wholeBytes));
    return { events, approvals: fold(events), wholeBytes, torn: bytes.subarray(wholeBytes) };
  } catch (cause) {
    throw unreadable(cause);
  }
}

function linesOf(events: readonly ApprovalEvent[]): string {
  return events.map((event) => `${JSON.stringify(event)}\n`).join('');
}

function noteOf(torn: Buffer, at: number): ApprovalEvent {
  return { event: 'repaired', at, bytes: torn.length, sha256: sha256(torn.toString('base64')) };
}

export function unreadable(cause: unknown): AppError {
  const why = cause instanceof AppError ? cause.message : String((cause as NodeJS.ErrnoException)?.code);
  return new AppError('forbidden', 'The approvals cannot be read, so nothing is approved', {
    subject: why,
    hint: `Repair ${FILE} in the state folder, or move it away: then every approval is requested again.`,
    cause,
  });
}
