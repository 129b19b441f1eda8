/** Multi-round-trip calls: questions of the server between requests of the client, in both protocol eras. */
import { createHmac, randomBytes, randomUUID, timingSafeEqual } from 'node:crypto';
import { type InputRequests, ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import type { CallAnswer } from '../../governance/call.ts';
import { digestOf } from '../../governance/digest.ts';
import type { Plane } from '../../governance/plane.ts';
import type { ClientRequest, Questions } from '../../mcp/request.ts';
import { AppError } from '../../shared/errors.ts';
import { TtlCache } from '../../shared/memoize.ts';
import type { UpstreamLog } from '../../upstream/calls.ts';
import type { CallClient } from '../../upstream/nested/operator.ts';
import type { CallOptions, Round } from '../../upstream/nested/rounds.ts';
import { whoCalls } from './answer.ts';
import { type CallPeer, type Conversation, messageOf, openConversation } from './conversation.ts';

/**
 * The state of a call between rounds, held by the client and authenticated with HMAC: the client can read it, but
 * cannot change it or use it for another call or caller. The key lives as long as the process, unless servers share one.
 */
interface Seal<T> {
  /** `to` names the call and caller that the state is bound to. */
  close(content: T, to: string): string;
  /** Undefined when the state was altered, has expired, or is bound to another call. */
  open(sealed: string, to: string): T | undefined;
}

const MAX_LENGTH = 256 * 1024;

interface SealOptions {
  readonly forMs: number;
  readonly now: () => number;
  readonly key?: Uint8Array;
}

export function createSeal<T>({ forMs, now, key = randomBytes(32) }: SealOptions): Seal<T> {
  const markOf = (body: string, to: string) =>
    createHmac('sha256', key)
      .update(JSON.stringify([body, to]))
      .digest();
  return {
    close(content, to) {
      const body = Buffer.from(JSON.stringify({ content, until: now() + forMs })).toString('base64url');
      return `${body}.${markOf(body, to).toString('base64url')}`;
    },
    open(sealed, to) {
      const [body = '', mark = '', ...more] = sealed.length > MAX_LENGTH ? [] : sealed.split('.');
      const given = Buffer.from(mark, 'base64url');
      const own = markOf(body, to);
      // Base64url allows several spellings of the same bytes; only the canonical one is accepted.
      if (more.length > 0 || given.toString('base64url') !== mark) return undefined;
      if (given.length !== own.length || !timingSafeEqual(given, own)) return undefined;
      const { content, until } = JSON.parse(Buffer.from(body, 'base64url').toString('utf8')) as {
        content: T;
        until: number;
      };
      return until < now() ? undefined : content;
    },
  };
}

export interface CapabilityCall {
  readonly kind: 'tool' | 'prompt' | 'resource';
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
}

export type Rounds = (
  requested: ClientRequest,
  called: CapabilityCall,
  call: (options: RoundOptions) => Promise<CallAnswer | undefined>,
) => Promise<CallAnswer | Questions | undefined>;

interface RoundOptions extends CallOptions {
  readonly continues?: string;
}

/** State kept between two rounds. */
interface Memory extends Pick<Round, 'state' | 'own' | 'asked'> {
  /** Id of a call that stays open meanwhile. */
  readonly parked?: string;
  /** One-time ticket for the next round under the first round's approval. */
  readonly ticket?: string;
}

const MAX_PARKED = 200;
const MAX_PARKED_OF_ONE = 20;
const MAX_TICKETS = 1_000;

type ConversationState = Conversation<CallAnswer | undefined>;

interface ParkedConversation {
  readonly talk: ConversationState;
  readonly by: string;
  readonly timer: NodeJS.Timeout;
}

/** `key`: of the servers among which the rounds of a call may go. */
export function createRounds(plane: Pick<Plane, 'config' | 'now'>, key?: Uint8Array): Rounds {
  const forMs = plane.config.elicitation.waitS * 1000;
  const seal = createSeal<Memory>({ forMs, now: plane.now, key });
  const tickets = new TtlCache<string>({ forMs, most: MAX_TICKETS, now: plane.now });
  const parked = new Map<string, ParkedConversation>();

  const take = (id: string): ConversationState => {
    const found = parked.get(id);
    if (!found) throw invalidState();
    clearTimeout(found.timer);
    parked.delete(id);
    return found.talk;
  };
  const park = (talk: ConversationState, by: string): string => {
    const own = [...parked.values()].filter((one) => one.by === by).length;
    if (own >= MAX_PARKED_OF_ONE || parked.size >= MAX_PARKED) {
      talk.end();
      throw new AppError('rate_limited', 'Too many calls wait for an answer', {
        hint: 'Try again when some of them were answered.',
      });
    }
    const id = randomUUID();
    const giveUp = () => {
      parked.delete(id);
      talk.end();
    };
    parked.set(id, { talk, by, timer: setTimeout(giveUp, forMs).unref() });
    return id;
  };
  const continued = (ticket: string | undefined): { continues?: string } => {
    const approval = ticket === undefined ? undefined : tickets.get(ticket);
    if (ticket === undefined || approval === undefined) return {};
    tickets.delete(ticket);
    return { continues: approval };
  };
  const remembered = ({ questions, decision }: CallAnswer): Memory => {
    const { requestState: state, own = [], asked = {} } = questions ?? {};
    const { approval } = decision;
    const ticket = approval === undefined ? undefined : randomUUID();
    if (ticket !== undefined && approval !== undefined) tickets.set(ticket, approval);
    return { own, asked, state, ticket };
  };

  return async (requested, called, call) => {
    const to = JSON.stringify([whoCalls(requested), called.kind, called.name, digestOf(called.args)]);
    const { responses, state: sealed } = requested.round ?? {};
    const memory = sealed === undefined ? {} : seal.open(sealed, to);
    if (!memory) throw invalidState();
    const asks = (inputRequests: InputRequests, next: Memory): Questions => ({
      resultType: 'input_required',
      inputRequests,
      requestState: seal.close(next, to),
    });
    const said = (answered: CallAnswer | undefined) =>
      answered?.questions ? asks(answered.questions.inputRequests, remembered(answered)) : answered;
    const talk = memory.parked === undefined ? undefined : take(memory.parked);
    const { own, asked, state } = memory;
    const round: Round = { responses, state, own, asked };
    const begin = (peer: OptionalPeer) =>
      call({ ...optionsOf(peer, requested), round, ...continued(memory.ticket) });
    const { client } = requested;
    if (!talk && !client?.isAskedByAnswer) return said(await begin(peerOf(requested)));
    const current = talk ?? openConversation(client?.can ?? NOTHING, begin);
    const step = await current.advance(requested, talk ? responses : undefined);
    return 'done' in step ? said(step.done) : asks(step.asks, { parked: park(current, whoCalls(requested)) });
  };
}

const NOTHING = { form: false, url: false, sampling: false, roots: false, apps: false };

type OptionalPeer = Omit<CallPeer, 'client'> & { readonly client?: CallClient };

/** Legacy-era clients are asked directly, within the call. */
function peerOf({ client, ...requested }: ClientRequest): OptionalPeer {
  if (!client?.can) return requested;
  const { can, elicit, sample } = client;
  const refuse = () => Promise.reject(new Error('The client cannot be asked for that'));
  return {
    ...requested,
    client: {
      can,
      elicit: (params, signal) => elicit?.(params, signal) ?? refuse(),
      sample: (params, signal) => sample?.(params, signal) ?? refuse(),
    },
  };
}

function optionsOf(
  { signal, client, onProgress, onLog }: OptionalPeer,
  { logLevel }: ClientRequest,
): CallOptions {
  return { signal, client, onProgress, onLog: onLog ? (said) => tellOf(said, onLog) : undefined, logLevel };
}

function tellOf(said: UpstreamLog, tell: NonNullable<ClientRequest['onLog']>): void {
  const message = messageOf(said);
  if (message) tell(message);
}

function invalidState(): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, 'Invalid or expired requestState', {
    reason: 'invalid_request_state',
  });
}
