/**
 * The JSON a POST carries, within limits; throws what is to be answered instead. Calls that carry files may be as large
 * as the operator says, everything else is small; and all that is being read or worked on has a limit too, for each
 * caller and for all of them together.
 */
import type { IncomingMessage } from 'node:http';
import { memoize } from '../../shared/memoize.ts';
import type { Principal } from '../../shared/principal.ts';
import { type BodyLimits, type BodyProblem, type JsonWatch, readJson, tooLarge } from '../body.ts';
import { type ByteBudget, type ByteLimits, createByteBudget } from '../byte-budget.ts';
import { createCallScanner } from '../call-scanner.ts';
import { HttpRefusal } from '../refusal.ts';

interface JsonBodyOptions extends Pick<BodyLimits, 'timeoutMs'> {
  /** Of a call that carries files. */
  readonly fileBytes: number;
  /** Of anything else. */
  readonly ordinaryBytes?: number;
  /** Whether a tool takes files. */
  readonly takesFiles: (tool: string) => boolean;
}

export interface JsonBody {
  readonly value: unknown;
  readonly bytes: number;
  /** To be called when nothing of it is needed any more. */
  release(): void;
}

/** Whatever media type it says it is, where `types` is not given. */
export type ReadJson = (
  request: IncomingMessage,
  caller: Pick<Principal, 'id'>,
  types?: BodyLimits['types'],
) => Promise<JsonBody>;

const ORDINARY_BYTES = 16 * 1024 ** 2;
/** Of their own, so that ordinary calls have room beside files. */
const ORDINARY_LIMITS: ByteLimits = { sum: 16 * ORDINARY_BYTES, perOwner: 8 * ORDINARY_BYTES };
/** A caller may send the largest file there may be, and this much of it is left to others. */
const LEFT_TO_OTHERS = 0.5;

const NAMES: Readonly<Record<BodyProblem['status'], string>> = {
  400: 'incomplete_body',
  408: 'request_timeout',
  413: 'payload_too_large',
  415: 'unsupported_media_type',
  503: 'server_busy',
};

export function createJsonReader(options: JsonBodyOptions): ReadJson {
  const { fileBytes, timeoutMs, takesFiles } = options;
  const ordinaryBytes = Math.min(options.ordinaryBytes ?? ORDINARY_BYTES, fileBytes);
  const budgets = {
    ordinary: createByteBudget(ORDINARY_LIMITS),
    files: createByteBudget({ sum: fileBytes * (1 + LEFT_TO_OTHERS), perOwner: fileBytes }),
  };
  return async (request, { id }, types) => {
    const held = createHold(budgets, id);
    const watch = createWatch({ held, ordinaryBytes, takesFiles });
    try {
      const limits = {
        limitBytes: fileBytes,
        outlineBytes: ordinaryBytes,
        timeoutMs,
        types: types || undefined,
      };
      const read = await readJson(request, limits, watch);
      if ('status' in read) throw refusalOf(read);
      if (read.bytes > ordinaryBytes && !carriesFiles(read.value, takesFiles))
        throw refusalOf(tooLarge(ordinaryBytes));
      return { ...read, release: held.release };
    } catch (error) {
      held.release();
      throw error;
    }
  };
}

interface Hold {
  /** False when there is no room for so many more. */
  add(bytes: number): boolean;
  /** From now on, and for all there is already, among the files. */
  countAsFile(): boolean;
  readonly release: () => void;
}

function createHold({ ordinary, files }: Record<'ordinary' | 'files', ByteBudget>, owner: string): Hold {
  let budget = ordinary;
  let bytes = 0;
  return {
    add(more) {
      if (!budget.reserve(owner, more)) return false;
      bytes += more;
      return true;
    },
    countAsFile() {
      if (budget === files) return true;
      if (!files.reserve(owner, bytes)) return false;
      budget.release(owner, bytes);
      budget = files;
      return true;
    },
    release: memoize(() => budget.release(owner, bytes)),
  };
}

interface WatchParts extends Pick<JsonBodyOptions, 'takesFiles'> {
  readonly held: Hold;
  readonly ordinaryBytes: number;
}

/** What is large has to be a call that carries files, as far as can be seen while it comes. */
function createWatch({ held, ordinaryBytes, takesFiles }: WatchParts): JsonWatch {
  const scanner = createCallScanner();
  const onChunk: JsonWatch['onChunk'] = (chunk, length) => {
    if (length > ordinaryBytes) {
      const { method = 'tools/call', tool } = scanner.call;
      const isFile = !scanner.isOther && method === 'tools/call' && (tool === undefined || takesFiles(tool));
      if (!isFile) return tooLarge(ordinaryBytes);
      if (!held.countAsFile()) return BUSY;
    }
    return held.add(chunk.length) ? undefined : BUSY;
  };
  return { onChunk, onOutline: (piece) => scanner.push(piece) };
}

const BUSY: BodyProblem = {
  status: 503,
  message: 'The server is busy with other large requests: try again in a moment',
};

function carriesFiles(value: unknown, takesFiles: (tool: string) => boolean): boolean {
  const { method, params } = (value ?? {}) as { method?: unknown; params?: { name?: unknown } };
  return method === 'tools/call' && typeof params?.name === 'string' && takesFiles(params.name);
}

function refusalOf({ status, message, isNoJson }: BodyProblem): HttpRefusal {
  if (isNoJson) return new HttpRefusal(400, 'invalid_json', { answer: { message: `${message}.` } });
  const headers = { Connection: 'close', ...(status === 503 && { 'Retry-After': '5' }) };
  return new HttpRefusal(status, NAMES[status], { answer: { message }, headers });
}
