/** Prompts and resources of governed servers at our endpoint. */

import type { GetPromptResult } from '@modelcontextprotocol/server';
import type { CallAnswer, CallContext } from '../../governance/call.ts';
import { callExposed, completeExposed, findExposed } from '../../governance/exposure/call.ts';
import type { ExposedCapabilities } from '../../governance/exposure/list.ts';
import type { Exposure } from '../../governance/exposure/visibility.ts';
import type {
  Completion,
  PromptRequest,
  Prompts,
  ResourceContent,
  ResourceEvents,
  Resources,
} from '../../mcp/offers.ts';
import type { ClientRequest, Questions } from '../../mcp/request.ts';
import { AppError, isAppError } from '../../shared/errors.ts';
import type { Caller } from '../../shared/principal.ts';
import { mayUse, metaOf, problemOf, whoCalls } from './answer.ts';
import { promptOf, resourceOf, templateOf } from './definition.ts';
import type { Rounds } from './rounds.ts';

export interface UpstreamParts {
  readonly plane: CallContext;
  readonly exposed: ExposedCapabilities;
  readonly rounds: Rounds;
}

export function isAnswer(answered: Awaited<ReturnType<Rounds>>): answered is CallAnswer {
  return answered !== undefined && 'decision' in answered;
}

/** Turns errors into protocol errors, for requests other than tool calls. `not_found` is worded by the caller. */
async function inProtocolWords<T>(
  { signal }: Pick<ClientRequest, 'signal'>,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const isOurs = isAppError(error) && !isAppError(error, 'not_found');
    throw isOurs && !signal.aborted ? problemOf(error) : error;
  }
}

export function upstreamPrompts(parts: UpstreamParts): Prompts {
  const { plane, exposed } = parts;
  return {
    async list() {
      const all = await exposed.look();
      return all
        .filter(({ isVisible, candidate }) => isVisible && candidate.entry.definition.kind === 'prompt')
        .map(promptOf);
    },
    get: (request) => inProtocolWords(request, () => get(parts, request)),
    complete: (request): Promise<Completion | undefined> =>
      inProtocolWords(request, () => {
        const { of: name, argument, value, known, signal } = request;
        const asked = { kind: 'prompt' as const, name, argument, value, known, signal };
        return completeExposed(plane, exposed, { ...asked, by: whoCalls(request) }, mayUse(request));
      }),
    watch: (changed) => exposed.watch((list) => list === 'prompts' && changed()),
  };
}

async function get(
  { plane, exposed, rounds }: UpstreamParts,
  request: PromptRequest,
): Promise<GetPromptResult | Questions | undefined> {
  const { name, args } = request;
  const called = { kind: 'prompt', name, args } as const;
  const answered = await rounds(request, called, (options) =>
    callExposed(plane, exposed, { ...called, ...options, by: whoCalls(request) }, mayUse(request)),
  );
  if (!isAnswer(answered)) return answered;
  const { description, messages } = answered.result as GetPromptResult;
  return {
    messages: Array.isArray(messages) ? messages : [],
    description: typeof description === 'string' ? description : undefined,
    ...metaOf(answered),
  };
}

const PAGE = 200;

/**
 * Resources keep their URIs, because clients meet them in tool results and notes. A URI belongs to the server that
 * lists it, else to the first server by configuration with a matching template.
 */
export function upstreamResources(parts: UpstreamParts): Resources {
  const { plane, exposed } = parts;
  const watchers = new Set<ResourceEvents>();
  const visible = async (kind: 'resource' | 'template'): Promise<Exposure[]> =>
    (await exposed.look()).filter(
      ({ isVisible, candidate }) => isVisible && candidate.entry.definition.kind === kind,
    );
  const subscribe = async (uri: string, caller: Caller): Promise<() => void> => {
    const found = await findExposed(plane, exposed, { kind: 'resource', name: uri });
    if (!found?.isVisible) throw notFound(uri);
    mayUse(caller)(found);
    const upstream = await plane.upstream(plane.server(found.candidate.entry.server));
    const tell = async () => {
      // The resource may have been hidden since it was listed.
      const now = await findExposed(plane, exposed, { kind: 'resource', name: uri });
      if (now?.isVisible) for (const { updated } of watchers) updated(uri);
    };
    return upstream
      .subscribe(uri, () => {
        tell().catch((error) =>
          plane.log('warn', 'a client could not be notified of a changed resource', { error: String(error) }),
        );
      })
      .catch((cause: unknown) => {
        throw new AppError('unsupported', 'Its server does not tell of changes', { subject: uri, cause });
      });
  };
  return {
    async list(cursor) {
      const from = cursor === undefined ? 0 : Number(cursor);
      if (!Number.isSafeInteger(from) || from < 0)
        throw new AppError('invalid_input', 'Unknown cursor', { hint: 'List again without one.' });
      const all = await visible('resource');
      const entries = all.slice(from, from + PAGE).map(resourceOf);
      return { entries, nextCursor: from + PAGE < all.length ? String(from + PAGE) : undefined };
    },
    templates: async () => (await visible('template')).map(templateOf),
    // Ownership of a URI is unknown until the servers have been listed, so every URI no other owner has is
    // claimed.
    owns: () => true,
    read: (uri, request) => inProtocolWords(request, () => read(parts, uri, request)),
    canonical: (uri) => uri,
    complete: (request) =>
      inProtocolWords(request, () => {
        const { of: name, argument, value, known, signal } = request;
        const asked = { kind: 'template' as const, name, argument, value, known, signal };
        return completeExposed(plane, exposed, { ...asked, by: whoCalls(request) }, mayUse(request));
      }),
    subscribe,
    watch(events) {
      watchers.add(events);
      const stop = exposed.watch((list) => list === 'resources' && events.listChanged());
      return () => {
        watchers.delete(events);
        stop();
      };
    },
  };
}

async function read(
  { plane, exposed, rounds }: UpstreamParts,
  uri: string,
  request: ClientRequest,
): Promise<readonly ResourceContent[] | Questions> {
  const called = { kind: 'resource', name: uri, args: {} } as const;
  const answered = await rounds(request, called, (options) =>
    callExposed(plane, exposed, { ...called, ...options, by: whoCalls(request) }, mayUse(request)),
  );
  if (answered === undefined) throw notFound(uri);
  if (!isAnswer(answered)) return answered;
  const { contents } = answered.result;
  return (Array.isArray(contents) ? contents : []) as ResourceContent[];
}

function notFound(uri: string): AppError {
  return new AppError('not_found', 'Resource not found', { subject: uri.slice(0, 200) });
}
