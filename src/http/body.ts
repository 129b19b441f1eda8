/** Reads the body of a request, up to a limit in bytes and time; a body above the limit is never held in memory. */
import type { IncomingMessage } from 'node:http';

export interface BodyLimits {
  readonly limitBytes: number;
  /** Accepted media types, in lower case. Default: all. */
  readonly types?: readonly string[];
  /** Until the last byte. */
  readonly timeoutMs: number;
}

/** Takes a chunk; a problem ends the reading. */
type TakeChunk = (chunk: Buffer) => BodyProblem | undefined;

/** Why a body was not read. */
export interface BodyProblem {
  readonly status: 400 | 408 | 413 | 415 | 503;
  readonly message: string;
  /** Read to its end, and then not parsed. */
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

/** Hands each chunk to `take` as it comes. */
export async function takeBody(
  request: IncomingMessage,
  limits: BodyLimits,
  take: TakeChunk,
): Promise<BodyProblem | undefined> {
  const problem = headerProblem(request, limits);
  if (!problem) return collect(request, limits, take);
  // The rest of the body is discarded, so that a client that sends all of it before it reads sees the answer.
  request.resume();
  return problem;
}

function headerProblem({ headers }: IncomingMessage, limits: BodyLimits): BodyProblem | undefined {
  const { types, limitBytes } = limits;
  const coding = headers['content-encoding']?.trim().toLowerCase() ?? 'identity';
  if (coding !== 'identity') return { status: 415, message: 'Send the body uncompressed' };
  const type = headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  if (types && !types.includes(type))
    return { status: 415, message: `Send the body as Content-Type: ${types.join(' or ')}` };
  return Number(headers['content-length'] ?? 0) > limitBytes ? tooLarge(limitBytes) : undefined;
}

function collect(
  request: IncomingMessage,
  { limitBytes, timeoutMs }: BodyLimits,
  takeChunk: TakeChunk,
): Promise<BodyProblem | undefined> {
  return new Promise((resolve) => {
    let length = 0;
    const finish = (outcome: BodyProblem | undefined) => {
      clearTimeout(timer);
      request.off('data', take).off('end', complete).off('error', broken).off('close', broken);
      // A request that breaks off later emits an error, which nothing else handles.
      request.on('error', () => {}).resume();
      resolve(outcome);
    };
    const take = (chunk: Buffer) => {
      length += chunk.length;
      const problem = length > limitBytes ? tooLarge(limitBytes) : takeChunk(chunk);
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

/** Part of the body may still be on its way: the connection ends with the answer. */
export function headersAfter({ status }: BodyProblem): Readonly<Record<string, string>> {
  return status === 503 ? { Connection: 'close', 'Retry-After': '5' } : { Connection: 'close' };
}
