/**
 * Reads the JSON a POST carries, parsed while it arrives, so that a large body is never in memory as a whole. Calls that
 * carry files may be as large as the operator says, everything else is small; and the bodies that are being read or
 * worked on have a limit together, for each caller and for all of them.
 */
import type { IncomingMessage } from 'node:http';
import { memoize } from '../shared/memoize.ts';
import type { Principal } from '../shared/principal.ts';
import { type BodyLimits, type BodyProblem, takeBody, tooLarge } from './body.ts';
import { createCallScanner } from './call-scanner.ts';
import { JsonStream } from './json-stream.ts';

interface JsonReaderOptions extends Pick<BodyLimits, 'timeoutMs'> {
  /** Largest body of a call without files. Default: 16 MB. */
  readonly ordinaryBytes?: number;
  /** Where some tools take files. */
  readonly files?: {
    /** Largest body of a call that carries files, and of all such bodies of one caller. */
    readonly bytes: number;
    readonly takesFiles: (tool: string) => boolean;
  };
}

interface JsonBody {
  readonly value: unknown;
  readonly bytes: number;
  /** To be called when the value is not needed any more. */
  release(): void;
}

/** Takes every media type where `types` is not given. */
export type JsonReader = (
  request: IncomingMessage,
  caller: Pick<Principal, 'id'>,
  types?: BodyLimits['types'],
) => Promise<JsonBody | BodyProblem>;

const MB = 1024 ** 2;
const ORDINARY_BYTES = 16 * MB;
/** Room for so many of the largest ordinary bodies, within bounds. */
const ORDINARY_BODIES = 16;
const LEAST_SUM = 16 * MB;
const MOST_SUM = 256 * MB;
/** A caller may send the largest file there may be, and this much of it is left to others. */
const LEFT_TO_OTHERS = 0.5;

const BUSY: BodyProblem = {
  status: 503,
  message: 'The server is busy with other large requests: try again in a moment',
};

export function createJsonReader({ timeoutMs, files, ...options }: JsonReaderOptions): JsonReader {
  const most = options.ordinaryBytes ?? ORDINARY_BYTES;
  const limitBytes = files?.bytes ?? most;
  const ordinaryBytes = Math.min(most, limitBytes);
  const sum = ordinarySum(ordinaryBytes);
  // Ordinary calls have a budget of their own, and so have room beside files.
  const budgets = {
    ordinary: createByteBudget({ sum, perOwner: sum / 2 }),
    files: createByteBudget({ sum: limitBytes * (1 + LEFT_TO_OTHERS), perOwner: limitBytes }),
  };
  return async (request, { id }, types) => {
    const reservation = createReservation(budgets, id);
    const message = createMessage({ limitBytes, ordinaryBytes, files, reservation });
    let isRead = false;
    try {
      const problem = await takeBody(request, { limitBytes, timeoutMs, types }, message.take);
      const read = problem ?? message.finish();
      if ('status' in read) return read;
      isRead = true;
      return { ...read, release: reservation.release };
    } finally {
      message.close();
      if (!isRead) reservation.release();
    }
  };
}

/** Never less than two of the largest, so that each fits into the half that one caller has. */
function ordinarySum(largest: number): number {
  return Math.max(2 * largest, LEAST_SUM, Math.min(ORDINARY_BODIES * largest, MOST_SUM));
}

interface MessageParts extends Pick<JsonReaderOptions, 'files'> {
  readonly limitBytes: number;
  readonly ordinaryBytes: number;
  readonly reservation: Reservation;
}

/** One JSON-RPC message while it arrives: parsed, counted, and refused as soon as it is too large for what it is. */
function createMessage({ limitBytes, ordinaryBytes, files, reservation }: MessageParts) {
  const scanner = files && createCallScanner();
  const json = new JsonStream({ limitBytes, onOutline: scanner?.push });
  let bytes = 0;
  /** Judged by the part that has arrived. */
  const mayCarryFiles = () => {
    if (!files || !scanner || scanner.isOther) return false;
    const { method = 'tools/call', tool } = scanner.call;
    return method === 'tools/call' && (tool === undefined || files.takesFiles(tool));
  };
  const reserve = (chunk: Buffer): BodyProblem | undefined => {
    if (bytes > ordinaryBytes) {
      if (!mayCarryFiles()) return tooLarge(ordinaryBytes);
      if (!reservation.countAsFile()) return BUSY;
    }
    return reservation.add(chunk.length) ? undefined : BUSY;
  };
  return {
    take(chunk: Buffer): BodyProblem | undefined {
      bytes += chunk.length;
      const problem = parseChunk(json, chunk) ?? reserve(chunk);
      return problem ?? (json.outlineBytes > ordinaryBytes ? tooMuchOutline(ordinaryBytes) : undefined);
    },
    finish(): Omit<JsonBody, 'release'> | BodyProblem {
      const read = finished(json);
      if ('status' in read) return read;
      const isTooLarge = bytes > ordinaryBytes && !carriesFiles(read.value, files);
      return isTooLarge ? tooLarge(ordinaryBytes) : { value: read.value, bytes };
    },
    close: () => json.close(),
  };
}

function parseChunk(json: JsonStream, chunk: Buffer): BodyProblem | undefined {
  try {
    json.push(chunk);
    return undefined;
  } catch {
    return { status: 503, message: 'The server has no memory left for the body: try again in a moment' };
  }
}

function finished(json: JsonStream): { value: unknown } | BodyProblem {
  try {
    return { value: json.finish() };
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return { status: 400, message: 'The body is not JSON', isNoJson: true };
  }
}

function carriesFiles(value: unknown, files: JsonReaderOptions['files']): boolean {
  const { method, params } = (value ?? {}) as { method?: unknown; params?: { name?: unknown } };
  if (method !== 'tools/call' || typeof params?.name !== 'string') return false;
  return files?.takesFiles(params.name) === true;
}

function tooMuchOutline(limitBytes: number): BodyProblem {
  return {
    status: 413,
    message: `The body is larger than ${limitBytes} bytes, its long texts not counted`,
  };
}

type Reservation = ReturnType<typeof createReservation>;

/** The bytes that one body holds of the budgets. */
function createReservation({ ordinary, files }: Record<'ordinary' | 'files', ByteBudget>, owner: string) {
  let budget = ordinary;
  let bytes = 0;
  return {
    /** False when there is no room for so many more. */
    add(more: number): boolean {
      if (!budget.reserve(owner, more)) return false;
      bytes += more;
      return true;
    },
    /** Moves all bytes, and those to come, to the budget of files; false when there is no room. */
    countAsFile(): boolean {
      if (budget === files) return true;
      if (!files.reserve(owner, bytes)) return false;
      budget.release(owner, bytes);
      budget = files;
      return true;
    },
    release: memoize(() => budget.release(owner, bytes)),
  };
}

interface ByteLimits {
  readonly sum: number;
  /** Less than the sum, so that no owner can keep all others out. */
  readonly perOwner: number;
}

type ByteBudget = ReturnType<typeof createByteBudget>;

/** Bounds the bytes that are held at a time, by each owner and by all of them together. */
export function createByteBudget({ sum, perOwner }: ByteLimits) {
  const held = new Map<string, number>();
  let used = 0;
  return {
    /** False when there is no room for so many more. */
    reserve(owner: string, bytes: number): boolean {
      const own = (held.get(owner) ?? 0) + bytes;
      if (used + bytes > sum || own > perOwner) return false;
      held.set(owner, own);
      used += bytes;
      return true;
    },
    release(owner: string, bytes: number): void {
      const own = (held.get(owner) ?? 0) - bytes;
      if (own > 0) held.set(owner, own);
      else held.delete(owner);
      used -= bytes;
    },
    get used() {
      return used;
    },
  };
}
