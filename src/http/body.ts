/** Reads what a request carries, up to a limit in bytes and time; what is too much is never held in memory. */
import type { IncomingMessage } from 'node:http';

export interface BodyLimits {
  readonly limitBytes: number;
  /** Media types that are taken, in lower case; all, unless said. */
  readonly types?: readonly string[];
  /** Until the last byte. */
  readonly timeoutMs: number;
}

/** Why a body was not read. Part of it may still be on its way: close the connection after the answer. */
export interface BodyProblem {
  readonly status: 400 | 408 | 413 | 415;
  readonly message: string;
}

export async function readBody(
  request: IncomingMessage,
  limits: BodyLimits,
): Promise<{ readonly bytes: Buffer } | BodyProblem> {
  const problem = typeProblem(request, limits.types) ?? lengthProblem(request, limits.limitBytes);
  if (!problem) return collect(request, limits);
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
): Promise<{ readonly bytes: Buffer } | BodyProblem> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let length = 0;
    const finish = (outcome: { readonly bytes: Buffer } | BodyProblem) => {
      clearTimeout(timer);
      request.off('data', take).off('end', complete).off('error', broken).off('close', broken);
      // A request that breaks off later still says so, and nobody is left to hear it.
      request.on('error', () => {}).resume();
      resolve(outcome);
    };
    const take = (chunk: Buffer) => {
      length += chunk.length;
      if (length > limitBytes) finish(tooLarge(limitBytes));
      else chunks.push(chunk);
    };
    const complete = () => finish({ bytes: Buffer.concat(chunks, length) });
    const broken = () => finish({ status: 400, message: 'The body broke off: send the request again' });
    const timer = setTimeout(
      () => finish({ status: 408, message: `The body did not arrive within ${timeoutMs / 1000} s` }),
      timeoutMs,
    );
    request.on('data', take).once('end', complete).once('error', broken).once('close', broken);
    if (request.destroyed) broken();
  });
}

function tooLarge(limitBytes: number): BodyProblem {
  return { status: 413, message: `The body is larger than ${limitBytes} bytes` };
}
