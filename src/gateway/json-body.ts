/** The JSON a POST carries, within limits; throws what is to be answered instead. */
import type { IncomingMessage } from 'node:http';
import { type BodyLimits, type BodyProblem, readBody } from '../http/body.ts';
import { Refused } from './refusal.ts';

export interface JsonBody {
  readonly value: unknown;
  readonly bytes: number;
}

const NAMES: Readonly<Record<BodyProblem['status'], string>> = {
  400: 'incomplete_body',
  408: 'request_timeout',
  413: 'payload_too_large',
  415: 'unsupported_media_type',
};

export async function readJson(
  request: IncomingMessage,
  limits: Pick<BodyLimits, 'limitBytes' | 'timeoutMs'>,
): Promise<JsonBody> {
  const read = await readBody(request, { ...limits, types: ['application/json'] });
  if ('status' in read)
    throw new Refused(read.status, NAMES[read.status], {
      answer: { message: read.message },
      headers: { Connection: 'close' },
    });
  try {
    return { value: JSON.parse(read.bytes.toString('utf8')), bytes: read.bytes.length };
  } catch {
    throw new Refused(400, 'invalid_json', { answer: { message: 'The body is not JSON.' } });
  }
}
