/** A call, and what a server is told beside it of who made it, in the words of its era. */
import { CLIENT_CAPABILITIES_META_KEY, LOG_LEVEL_META_KEY, type Result } from '@modelcontextprotocol/client';
import type { CallOptions } from '../call-options.ts';
import { inRounds, type RoundParams } from './rounds.ts';
import { type Asked, advertisedFor } from './services.ts';

export type CallParams = RoundParams & { _meta?: Record<string, unknown> };

export interface AnswerParts {
  readonly isModern: boolean;
  readonly asked: Asked;
  readonly options: CallOptions;
}

type Send<T> = (params: CallParams, how: { allowInputRequired?: true }) => Promise<T>;

/** Servers of 2026-07-28 hear of the client with each call, and ask it by their answer. */
export async function answerOf<T extends Result>(send: Send<T>, parts: AnswerParts): Promise<T> {
  const { isModern, asked, options } = parts;
  if (!isModern) return send({}, {});
  const { client, round = {}, logLevel } = options;
  const asksClient = client !== undefined && asked.services.client !== undefined;
  const _meta = {
    ...(asksClient && { [CLIENT_CAPABILITIES_META_KEY]: advertisedFor(asked.services, client) }),
    ...(logLevel !== undefined && { [LOG_LEVEL_META_KEY]: logLevel }),
  };
  const told = Object.keys(_meta).length > 0 ? { _meta } : {};
  if (!asksClient) return send(told, {});
  const once = (params: RoundParams) => send({ ...params, ...told }, { allowInputRequired: true });
  // Questions are results too; who gave a client knows that they may come.
  return inRounds(once, round, { asked, client, sampling: asked.clientSampling }) as Promise<T>;
}
