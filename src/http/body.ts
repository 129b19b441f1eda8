/** Reads what a request carries, up to a limit in bytes and time; what is too much is never held in memory. */
import type { IncomingMessage } from 'node:http';
import { JsonStream } from './json-stream.ts';

export interface BodyLimits {
  readonly limitBytes: number;
  /** Media types that are taken, in lower case; all, unless said. */
  readonly types?: readonly string[];
  /** Until the last byte. */
  readonly timeoutMs: number;
}

/** Looks at each piece as it comes; a problem ends the reading, and what has come is dropped. */
type BodyWatch = (chunk: Buffer, length: number) => BodyProblem | undefined;

/** Why a body was not read. Part of it may still be on its way: close the connection after the answer. */
export interface BodyProblem {
  readonly status: 400 | 408 | 413 | 415 | 503;
  readonly message: string;
  /** It was read to its end. */
  readonly isNoJson?: true;
}

export async function readBody(
  request: IncomingMessage,
  limits: BodyLimits,
): Promise<{ readonly bytes: Buffer } | BodyProblem> {
  const chunks: Buffer[] = [];
  const problem = await takeBody(request, limits, (chunk) => {
    chunks.push(chunk);
    return undefined;
  });
  return problem ?? { bytes: Buffer.concat(chunks) };
}

interface JsonLimits extends BodyLimits {
  /** Of all but long strings; as much as the whole, unless said. */
  readonly outlineBytes?: number;
}

/** The same as JSON, which is parsed while it comes: a large body is never there as a whole. */
export async function readJson(
  request: IncomingMessage,
  limits: JsonLimits,
  watch: JsonWatch = {},
): Promise<{ readonly value: unknown; readonly bytes: number } | BodyProblem> {
  const { limitBytes, outlineBytes = limitBytes } = limits;
  const json = new JsonStream({ limitBytes, ...watch });
  let bytes = 0;
  const problem = await takeBody(request, limits, (chunk, length) => {
    bytes = length;
    const refused = parseChunk(json, chunk) ?? watch.onChunk?.(chunk, length);
    if (refused) return refused;
    return json.outlineBytes > outlineBytes ? tooMuchOutline(outlineBytes) : undefined;
  });
  if (problem) json.close();
  return problem ?? finished(json, bytes);
}

/** Looks at a body while it comes: at every chunk, and at the parts of it that no long string is in. */
export interface JsonWatch {
  readonly onChunk?: BodyWatch;
  readonly onOutline?: (piece: Uint8Array) => void;
}

function parseChunk(json: JsonStream, chunk: Buffer): BodyProblem | undefined {
  try {
    json.push(chunk);
    return undefined;
  } catch {
    return { status: 503, message: 'The server has no memory left for the body: try again in a moment' };
  }
}

function finished(json: JsonStream, bytes: number): { value: unknown; bytes: number } | BodyProblem {
  try {
    return { value: json.finish(), bytes };
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return { status: 400, message: 'The body is not JSON', isNoJson: true };
  }
}

async function takeBody(
  request: IncomingMessage,
  limits: BodyLimits,
  take: BodyWatch,
): Promise<BodyProblem | undefined> {
  const problem = typeProblem(request, limits.types) ?? lengthProblem(request, limits.limitBytes);
  if (!problem) return collect(request, limits, take);
  // What comes all the same is let through unread, so that the sender gets to see the answer.
  request.resume();
  return problem;
}

function typeProblem(
  { headers }: IncomingMessage,
  types: readonly string[] | undefined,
): BodyProblem | undefined {
  const coding = headers['content-encoding']?.trim().toLowerCase() ?? 'identity';
  if (coding !== 'identity') return { status: 415, message: 'Send the body uncompressed' };
  const type = headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  if (!types || types.includes(type)) return undefined;
  return { status: 415, message: `Send the body as Content-Type: ${types.join(' or ')}` };
}

function lengthProblem({ headers }: IncomingMessage, limitBytes: number): BodyProblem | undefined {
  return Number(headers['content-length'] ?? 0) > limitBytes ? tooLarge(limitBytes) : undefined;
}

function collect(
  request: IncomingMessage,
  { limitBytes, timeoutMs }: BodyLimits,
  watch: BodyWatch,
): Promise<BodyProblem | undefined> {
  return new Promise((resolve) => {
    let length = 0;
    const finish = (outcome: BodyProblem | undefined) => {
      clearTimeout(timer);
      request.off('data', take).off('end', complete).off('error', broken).off('close', broken);
      // A request that breaks off later still says so, and nobody is left to hear it.
      request.on('error', () => {}).resume();
      resolve(outcome);
    };
    const take = (chunk: Buffer) => {
      length += chunk.length;
      const problem = length > limitBytes ? tooLarge(limitBytes) : watch(chunk, length);
      if (problem) finish(problem);
    };
    const complete = () => finish(undefined);
    const broken = () => finish({ status: 400, message: 'The body broke off: send the request again' });
    const timer = setTimeout(
      () => finish({ status: 408, message: `The body did not arrive within ${timeoutMs / 1000} s` }),
      timeoutMs,
    );
    request.on('data', take).once('end', complete).once('error', broken).once('close', broken);
    if (request.destroyed) broken();
  });
}

export function tooLarge(limitBytes: number): BodyProblem {
  return { status: 413, message: `The body is larger than ${limitBytes} bytes` };
}

function tooMuchOutline(limitBytes: number): BodyProblem {
  return {
    status: 413,
    message: `The body is larger than ${limitBytes} bytes, its long texts not counted`,
  };
}
