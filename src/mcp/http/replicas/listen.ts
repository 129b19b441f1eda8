/**
 * Opens the stream of a session for what belongs to no request. A session has one, wherever it is open, and the replica
 * that has it speaks for the session.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '../../../shared/log.ts';
import { ownerOf, type Principal } from '../../../shared/principal.ts';
import { KNOWS_PRIMERS } from '../event-log.ts';
import { replayGap, type StreamLimits } from '../notification-stream.ts';
import type { McpExchange } from '../refusals.ts';
import { RETRY_MS } from '../sessions.ts';
import { refuseEventId, refuseSecondStream } from '../strict.ts';
import type { RecentChanges } from './recent-changes.ts';
import type { SessionCopy } from './session-copy.ts';
import { GET_STREAM, type OpenedStream, type SessionStore, type TakenSession } from './store.ts';
import { EventWriter, ListenStream } from './streams.ts';

/** Events of a session that a new speaker compares with what it noticed itself. */
const MOST_COMPARED = 400;
/** A replica that was not seen for so long may be gone: whether it is becomes clear soon. */
const DOUBTFUL_MS = 1_500;
const LOOK_MS = 250;
const HAND_OVER_MS = 1_000;
/** A replica that was not seen again meanwhile is gone. */
const MOST_LOOKS = 16;
/** How often a database that is away is told that a stream is closed. */
const MOST_NOTES = 3_600;

export interface NamedExchange<Caller extends Principal> extends McpExchange<Caller> {
  readonly id: string;
  readonly key: string;
}

interface ListenOptions {
  readonly store: SessionStore;
  readonly changes: RecentChanges;
  readonly log: Log;
  readonly strict?: StreamLimits;
  /** The last event that the client has seen. */
  readonly takesOver?: { readonly number: number; readonly seq: number };
}

interface LookBackOptions extends Pick<ListenOptions, 'store' | 'changes' | 'log'> {
  readonly until: number;
}

/** False when the session is over. */
export async function openListenStream<Caller extends Principal>(
  copy: SessionCopy<Caller>,
  exchange: NamedExchange<Caller>,
  options: ListenOptions,
): Promise<boolean> {
  try {
    return await open(copy, exchange, options);
  } catch (error) {
    // The database may have it as open.
    if (!copy.pushes.stream) void noteClosed(copy, 0, options);
    throw error;
  }
}

async function open<Caller extends Principal>(
  copy: SessionCopy<Caller>,
  { request, response, caller, id, key }: NamedExchange<Caller>,
  options: ListenOptions,
): Promise<boolean> {
  const { store, strict, log, takesOver } = options;
  const opened =
    !takesOver && copy.pushes.stream?.isOpen
      ? 'busy'
      : await claim(store, key, { owner: ownerOf(caller), takesOver });
  if (opened === 'unknown_session') return false;
  if (typeof opened === 'string') {
    if (opened === 'busy') refuseSecondStream(response);
    else refuseEventId(response);
    return true;
  }
  const isTaken = opened.taken !== undefined && opened.taken.replica !== store.replica;
  copy.pushes.speak(opened.pushed, isTaken);
  // What this replica notices from now on, it tells of at once.
  const spokeAt = Date.now();
  // Also when its client has left meanwhile: whoever speaks next counts on it.
  if (opened.taken) void lookBack(copy, opened.taken, { ...options, until: spokeAt });
  const seen = takesOver?.seq ?? (strict ? opened.sent : opened.pushed);
  const missed = await countMissed(store, key, { seen, pushed: copy.pushes.count });
  const isTooLate = missed > 0 && takesOver !== undefined && !strict;
  if (response.destroyed || isTooLate) {
    await store.unlisten(key, 0);
    if (isTooLate) refuseEventId(response);
    return true;
  }
  copy.enter(response);
  const writer = new EventWriter(response, id, strict?.keepAliveMs);
  const number = takesOver?.number ?? opened.number;
  if (!takesOver && request.headers['mcp-protocol-version'] === KNOWS_PRIMERS)
    writer.primer(`g${number}.${seen}`, strict?.retryMs ?? RETRY_MS);
  if (missed > 0) writer.event(replayGap(missed));
  const pushed = () => copy.pushes.count;
  const stream = new ListenStream({ key, number, sent: seen, pushed, store, writer, log });
  copy.pushes.stream = stream;
  response.once('close', () => {
    if (copy.pushes.stream === stream) copy.pushes.stream = undefined;
    if (!stream.isReplaced) void noteClosed(copy, stream.sent, options);
  });
  stream.pump();
  return true;
}

/** Until the database has taken it, no other replica could open a stream for this session. */
async function noteClosed(
  copy: SessionCopy,
  sent: number,
  { store, log }: Pick<ListenOptions, 'store' | 'log'>,
): Promise<void> {
  if (copy.isNotingClosed) return;
  copy.isNotingClosed = true;
  for (let tries = 0; tries < MOST_NOTES; tries++) {
    try {
      await store.unlisten(copy.key, sent);
      break;
    } catch (error) {
      log('debug', 'a closed stream was not noted', { error: String(error) });
    }
    if (copy.pushes.isClosed) break;
    await sleep(HAND_OVER_MS, undefined, { ref: false });
    // Another one is open here by now.
    if (copy.pushes.stream) break;
  }
  copy.isNotingClosed = false;
}

/** A stream that is open on a replica which may be gone is asked for again until that is clear. */
async function claim(
  store: SessionStore,
  key: string,
  { owner, takesOver }: Pick<ListenOptions, 'takesOver'> & { readonly owner: string },
): Promise<OpenedStream | 'unknown_session' | 'unknown_event' | 'busy'> {
  for (;;) {
    const opened = await store.listen(key, owner, { takesOver });
    if (typeof opened === 'string' || !('busyForMs' in opened)) return opened;
    if (opened.busyForMs < DOUBTFUL_MS) return 'busy';
    await sleep(LOOK_MS);
  }
}

/** How many messages after the one that was seen are not kept any more. */
async function countMissed(
  store: SessionStore,
  key: string,
  { seen, pushed }: { readonly seen: number; readonly pushed: number },
): Promise<number> {
  if (seen >= pushed) return 0;
  const [first] = await store.after(key, GET_STREAM, seen);
  return (first?.seq ?? pushed + 1) - seen - 1;
}

/**
 * Tells of changes that the replica which spoke before may not have told of, and of those that it had to look back for
 * itself: whether it speaks is known to the database before it is known to that replica, which may never hear of it. Goes
 * on when another replica speaks by then.
 */
async function lookBack(copy: SessionCopy, taken: TakenSession, options: LookBackOptions): Promise<void> {
  const { store, changes, log, until } = options;
  if (taken.replica === store.replica && copy.isLookingBack) return;
  const pushed = copy.pushes.count;
  const mayBeGone = taken.agoMs >= DOUBTFUL_MS;
  const tellSince = async (agoMs: number) => {
    const since = until - agoMs;
    const told = await store.after(copy.key, GET_STREAM, Math.max(0, pushed - MOST_COMPARED));
    const missing = changes.missing({ since, until }, copy.subscriptions, told);
    for (const message of missing) await copy.pushes.accept(message);
    return changes.isKnown(since);
  };
  copy.isLookingBack = true;
  // A replica that runs hands over what it has not told of.
  if (!mayBeGone) await sleep(HAND_OVER_MS, undefined, { ref: false });
  while (!copy.pushes.isClosed) {
    try {
      const isKnown = await tellSince(taken.agoMs);
      if (!isKnown || taken.behindMs > taken.agoMs) {
        const isAlone = await isGone(store, taken);
        const isKnownToo = await tellSince(taken.behindMs);
        if (isAlone && !isKnownToo)
          for (const message of changes.everything(copy.subscriptions)) await copy.pushes.accept(message);
      }
      await store.caughtUp(copy.key);
      break;
    } catch (error) {
      log('debug', 'changes before a stream moved here are looked for again', { error: String(error) });
      await sleep(HAND_OVER_MS, undefined, { ref: false });
    }
  }
  copy.isLookingBack = false;
}

async function isGone(store: SessionStore, { replica, seenAt }: TakenSession): Promise<boolean> {
  if (replica === store.replica) return true;
  for (let looks = 0; looks < MOST_LOOKS; looks++) {
    const now = await store.seenAt(replica);
    if (now === undefined) return true;
    if (now > seenAt) return false;
    await sleep(LOOK_MS, undefined, { ref: false });
  }
  return true;
}
