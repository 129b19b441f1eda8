/**
 * Approvals from the request to the use. A call claims its approval and starts under one lock shared by all processes;
 * an expired approval is reported once and then requested anew.
 */
import { AppError } from '../../shared/errors.ts';
import { ulid } from '../../shared/ids.ts';
import { digestOf } from '../digest.ts';
import {
  type Approval,
  type ApprovalRequest,
  type ApprovalScope,
  type ApprovalState,
  type ApprovalSubject,
  at,
  covers,
  isCurrent,
  isLive,
  isSameCall,
  isSameSubject,
  previewArguments,
  wholeArguments,
} from './approval.ts';
import {
  type ApprovalEvent,
  type ApprovalLog,
  type ApprovalsTransaction,
  openApprovalsFile,
} from './approval-log.ts';
import { type KeptArguments, openArgumentsFolder } from './arguments-folder.ts';

interface ApprovalsOptions {
  readonly folder: string;
  /** Where they are kept, if not in the folder. */
  readonly shared?: { readonly log: ApprovalLog; readonly whole: KeptArguments };
  /** How long a request waits for its answer, and how long an approval is good for. */
  readonly ttlSeconds?: number;
  readonly now?: () => number;
}

/** The outcome of claiming an approval for a call. */
type Claim<T> =
  | { readonly outcome: 'started'; readonly approval: Approval; readonly started: T }
  | { readonly outcome: 'pending' | 'denied' | 'expired'; readonly approval: Approval };

interface Decider {
  readonly by: string;
  readonly note?: string;
}

interface ApproveOptions extends Decider {
  readonly scope?: ApprovalScope;
  readonly ttlSeconds?: number;
}

export interface Approvals {
  /**
   * Takes an approval that covers the request and runs `start`, or returns what is missing. `start` only begins the
   * call, because other processes wait for it. The approval is used up, also when the call fails.
   */
  claim<T>(request: ApprovalRequest, start: (approval: Approval) => Promise<T>): Promise<Claim<T>>;
  /** The approval that `claim` would take; takes nothing. */
  find(request: ApprovalRequest): Promise<Approval | undefined>;
  list(filter?: Partial<Pick<Approval, 'state' | 'server'>>): Promise<Approval[]>;
  get(id: string): Promise<Approval>;
  /** All that would be sent, without secrets, while the approval is pending; `argsPreview` is a cut of it. */
  argumentsOf(approval: Approval): Promise<string | undefined>;
  approve(id: string, options: ApproveOptions): Promise<Approval>;
  deny(id: string, decider: Decider): Promise<Approval>;
  revoke(id: string, decider: Decider): Promise<Approval>;
  /** Removes approvals that ended before that time; resolves to their number. */
  prune(endedBefore: number): Promise<number>;
}

const TTL_SECONDS = 900;
const MAX_PENDING = 500;
/** For each server, so that one server cannot fill the list. */
const MAX_PENDING_PROMPTS = 20;
/** What a server causes by what it says: read once, approved once. */
const OF_SERVERS: readonly Approval['kind'][] = ['sampling', 'result'];
const MAX_TTL_SECONDS = 366 * 86_400;
const MAX_NOTE = 500;
/** From this size of the file on, approvals that ended a week ago are removed. */
const PRUNE_BYTES = 4 * 1024 * 1024;
const REMEMBERED_MS = 7 * 86_400_000;
/** From this size on, all that ended. */
const FORGET_BYTES = 16 * 1024 * 1024;

export function openApprovals(options: ApprovalsOptions): Approvals {
  const { folder, shared, ttlSeconds = TTL_SECONDS, now = Date.now } = options;
  const { log: file, whole } = shared ?? {
    log: openApprovalsFile(folder, now),
    whole: openArgumentsFolder(folder),
  };

  const all = async () => [...(await file.read()).values()].map((approval) => at(now(), approval));

  const decide = (id: string, from: ApprovalState, event: (approval: Approval) => ApprovalEvent) =>
    file.step(async (transaction) => {
      const approval = wantedState(current(transaction, id, now()), from);
      await transaction.append(event(approval));
      const approvals = await file.read();
      await whole.keepOnly(idsOf(waitingIn(approvals, now())));
      return current({ approvals }, id, now());
    });

  return {
    claim: (request, start) =>
      file.step(async (transaction) => {
        if (transaction.bytes > PRUNE_BYTES)
          await forget(transaction, now(), now() - (transaction.bytes > FORGET_BYTES ? 0 : REMEMBERED_MS));
        return claimIn(transaction, { request, start, now: now(), ttlSeconds, whole });
      }),
    find: async (request) => {
      const wanted = wantedOf(request);
      return (await all()).find((approval) => covers(approval, wanted));
    },
    async list({ state, server } = {}) {
      const fits = (approval: Approval) =>
        (state === undefined || approval.state === state) &&
        (server === undefined || approval.server === server);
      return (await all()).filter(fits).sort((a, b) => (a.id < b.id ? 1 : -1));
    },
    get: async (id) => current({ approvals: await file.read() }, id, now()),
    argumentsOf: async ({ id, state }) => (state === 'pending' ? whole.read(id) : undefined),
    approve: (id, given) =>
      decide(id, 'pending', (approval) => approvalEvent(approval, given, { now: now(), ttlSeconds })),
    deny: (id, decider) =>
      decide(id, 'pending', () => ({ event: 'denied', at: now(), id, ...signed(decider) })),
    revoke: (id, decider) =>
      decide(id, 'approved', () => ({ event: 'revoked', at: now(), id, ...signed(decider) })),
    prune: (endedBefore) => file.step((transaction) => forget(transaction, now(), endedBefore)),
  };
}

interface ClaimWork<T> {
  readonly request: ApprovalRequest;
  readonly start: (approval: Approval) => Promise<T>;
  readonly now: number;
  readonly ttlSeconds: number;
  readonly whole: KeptArguments;
}

async function claimIn<T>(transaction: ApprovalsTransaction, work: ClaimWork<T>): Promise<Claim<T>> {
  const { request, start, now } = work;
  const wanted = wantedOf(request);
  await supersede(transaction, wanted, now);
  const known = [...transaction.approvals.values()].map((approval) => at(now, approval));
  const granted = known.find((approval) => covers(approval, wanted));
  if (granted) {
    if (granted.scope === 'once') await transaction.append({ event: 'consumed', at: now, id: granted.id });
    return { outcome: 'started', approval: granted, started: await start(granted) };
  }
  const same = known.filter((approval) => isSameCall(approval, wanted));
  const denied = same.find((one) => one.state === 'denied' && (one.expiresAt ?? 0) > now);
  if (denied) return { outcome: 'denied', approval: denied };
  const pending = same.find(({ state }) => state === 'pending');
  if (pending) return { outcome: 'pending', approval: pending };
  const unreported = same.find(
    ({ id, state }) => state === 'expired' && transaction.approvals.get(id)?.state !== 'expired',
  );
  if (unreported) {
    await transaction.append({ event: 'expired', at: now, id: unreported.id });
    return { outcome: 'expired', approval: unreported };
  }
  return { outcome: 'pending', approval: await ask(transaction, wanted, work) };
}

/** Approvals requested under another definition or policy are void. */
async function supersede(
  transaction: ApprovalsTransaction,
  wanted: ApprovalSubject,
  now: number,
): Promise<void> {
  const outdated = [...transaction.approvals.values()].filter(
    (one) => isLive(one) && isSameSubject(one, wanted) && !isCurrent(one, wanted),
  );
  if (outdated.length === 0) return;
  await transaction.append(...outdated.map(({ id }) => ({ event: 'superseded', at: now, id }) as const));
  for (const one of outdated) transaction.approvals.set(one.id, { ...one, state: 'superseded' });
}

async function ask<T>(
  transaction: ApprovalsTransaction,
  wanted: ApprovalSubject,
  work: ClaimWork<T>,
): Promise<Approval> {
  const { request, now, ttlSeconds, whole } = work;
  const waiting = waitingIn(transaction.approvals, now);
  const prompts = waiting.filter(({ kind, server }) => kind === wanted.kind && server === wanted.server);
  const isFull = OF_SERVERS.includes(wanted.kind) && prompts.length >= MAX_PENDING_PROMPTS;
  if (waiting.length >= MAX_PENDING || isFull)
    throw new AppError('rate_limited', 'Too many approvals wait for an answer', {
      subject: `${isFull ? prompts.length : waiting.length}`,
      hint: 'Answer some of them, or wait until they expire.',
    });
  const asked = {
    ...wanted,
    id: `apr_${ulid(now)}`,
    argsPreview: request.preview ?? previewArguments(request.args),
    expiresAt: now + ttlSeconds * 1000,
  };
  await whole.keepOnly(idsOf(waiting));
  // A preview of the caller's own is whole.
  if (request.preview === undefined) await whole.keep(asked.id, wholeArguments(request.args));
  await transaction.append({ event: 'requested', at: now, ...asked });
  return { ...asked, state: 'pending', createdAt: now };
}

function waitingIn(approvals: ApprovalsTransaction['approvals'], now: number): Approval[] {
  return [...approvals.values()].filter((one) => at(now, one).state === 'pending');
}

function idsOf(approvals: readonly Approval[]): ReadonlySet<string> {
  return new Set(approvals.map(({ id }) => id));
}

function wantedOf({ args, preview: _, ...request }: ApprovalRequest): ApprovalSubject {
  return { ...request, argsDigest: digestOf(args ?? {}) };
}

function current({ approvals }: Pick<ApprovalsTransaction, 'approvals'>, id: string, now: number): Approval {
  const found = approvals.get(id);
  if (found) return at(now, found);
  throw new AppError('not_found', 'There is no such approval', {
    subject: id.slice(0, 60),
    hint: 'List the approvals to see their ids.',
  });
}

function wantedState(approval: Approval, state: ApprovalState): Approval {
  if (approval.state === state) return approval;
  throw new AppError('conflict', `This approval is ${approval.state}, not ${state}`, {
    subject: approval.id,
    hint:
      approval.state === 'expired'
        ? 'It was not answered in time. Make the call again to request a new one.'
        : 'List the approvals to see where they stand.',
  });
}

function approvalEvent(
  approval: Approval,
  { scope = 'once', ttlSeconds: given, ...decider }: ApproveOptions,
  { now, ttlSeconds }: { now: number; ttlSeconds: number },
): ApprovalEvent {
  if (scope === 'always' && approval.class === 'destructive')
    throw new AppError('forbidden', 'A destructive call is never approved for always', {
      subject: approval.capability,
      hint: 'Approve this one call with the scope once.',
    });
  if (scope !== 'once' && OF_SERVERS.includes(approval.kind))
    throw new AppError('forbidden', 'A prompt or a result is approved once, as it was shown', {
      subject: approval.id,
      hint: 'Leave --scope out.',
    });
  if (given !== undefined && !(given > 0 && given <= MAX_TTL_SECONDS))
    throw new AppError('invalid_input', 'An approval lasts from one second to a year', {
      subject: `${given}`,
    });
  const seconds = given ?? (scope === 'always' ? undefined : ttlSeconds);
  return {
    event: 'approved',
    at: now,
    id: approval.id,
    scope,
    expiresAt: seconds !== undefined ? now + Math.ceil(seconds * 1000) : undefined,
    ...signed(decider),
  };
}

function signed({ by, note }: Decider): Decider {
  return { by, note: note?.slice(0, MAX_NOTE) };
}

async function forget(transaction: ApprovalsTransaction, now: number, endedBefore: number): Promise<number> {
  const isOver = (approval: Approval) =>
    !isLive(at(now, approval)) &&
    Math.max(approval.expiresAt ?? 0, approval.decidedAt ?? 0, approval.createdAt) < endedBefore;
  const over = new Set([...transaction.approvals.values()].filter(isOver).map(({ id }) => id));
  if (over.size === 0) return 0;
  await transaction.rewrite(transaction.events.filter((event) => !('id' in event) || !over.has(event.id)));
  for (const id of over) transaction.approvals.delete(id);
  return over.size;
}
