/** What we do for servers that ask back. One object, the same over stdio and HTTP; only what it has is advertised. */
import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { pathToFileURL } from 'node:url';
import {
  type Client,
  type ClientCapabilities,
  type ListRootsResult,
  ProtocolError,
} from '@modelcontextprotocol/client';
import { createElicitation } from './elicitation.ts';
import {
  type Abilities,
  type Answer,
  type CallClient,
  type Operator,
  operatorAt,
  type SampleProvider,
  type SamplingApprover,
} from './operator.ts';
import { type ClientSampling, createSampling, type SamplingLimits } from './sampling.ts';

/** The folders that servers may know of. */

/** Only those that exist now. */
export async function listRoots(folders: readonly string[]): Promise<ListRootsResult> {
  const there = await Promise.all(folders.map(isFolder));
  const existing = folders.filter((_, at) => there[at]);
  return { roots: existing.map((folder) => ({ uri: pathToFileURL(folder).href, name: basename(folder) })) };
}

function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (entry) => entry.isDirectory(),
    () => false,
  );
}

const REJECTED = -1;

export interface NestedServices {
  readonly operator: Operator;
  /** Folders that may be named to servers; undefined when this server may not ask. */
  readonly roots?: readonly string[];
  readonly sampling?: {
    readonly provider: SampleProvider;
    readonly maxTokens: number;
    readonly perHour: number;
    /** Without it nothing is sampled where nobody is there. */
    readonly approved?: SamplingApprover;
  };
  readonly elicitation?: { readonly form: boolean; readonly url: boolean };
  /** What of it goes to the client of a call, if that can answer. */
  readonly client?: {
    readonly elicitation: boolean;
    readonly sampling?: SamplingLimits;
    readonly roots: boolean;
  };
  /** How long the operator may take. */
  readonly waitMs: number;
  /** Told of everything before it is answered; what it throws keeps a prompt from the model. */
  readonly note?: (asked: NestedRecord) => Promise<void>;
}

/** What a server asked back, for whoever looks later. No values: a prompt is told by its digest. */
export type NestedRecord =
  | { readonly asked: 'roots' }
  | {
      readonly asked: 'elicitation';
      readonly outcome: Answer;
      /** In the server's own words. */
      readonly message: string;
      /** Of a form, by name; of a page, where it is. */
      readonly wanted: readonly string[];
    }
  | {
      readonly asked: 'sampling';
      readonly outcome: 'accept' | 'decline' | 'pending';
      readonly prompt: unknown;
      readonly approval?: string;
    }
  | { readonly asked: 'tokens'; readonly input: number; readonly output: number };

export interface NestedCounts {
  roots: number;
  sampling: number;
  elicitation: { accept: number; decline: number; cancel: number };
}

export function noNestedRequests(): NestedCounts {
  return { roots: 0, sampling: 0, elicitation: { accept: 0, decline: 0, cancel: 0 } };
}

export function advertised({ roots, sampling, elicitation, client }: NestedServices): ClientCapabilities {
  return {
    roots: roots ? { listChanged: true } : undefined,
    sampling: sampling || client?.sampling ? {} : undefined,
    elicitation:
      elicitation?.form || elicitation?.url
        ? {
            ...(elicitation.form && { form: { applyDefaults: true } }),
            ...(elicitation.url && { url: {} }),
          }
        : undefined,
  };
}

export interface NestedRequest {
  readonly server: string;
  readonly services: NestedServices;
  readonly counts: NestedCounts;
  /** Runs while somebody is asked, so that clocks stand still. */
  during<T>(work: (signal: AbortSignal) => Promise<T>, signal: AbortSignal): Promise<T>;
  /** The client whose call is being worked on, as far as that is clear. */
  caller?(): CallClient | undefined;
  readonly clientSampling?: ClientSampling;
}

/** What the client of a call may be asked. */
export function askable({ elicitation, client }: NestedServices, { can }: CallClient): Abilities {
  return {
    form: client?.elicitation === true && elicitation?.form === true && can.form,
    url: client?.elicitation === true && elicitation?.url === true && can.url,
    sampling: client?.sampling !== undefined && can.sampling,
    roots: client?.roots === true && can.roots,
  };
}

/** What is said to a server of one call (2026-07-28): what its client may be asked, and what we answer ourselves. */
export function advertisedFor(services: NestedServices, client: CallClient): ClientCapabilities {
  const { form, url, sampling, roots } = askable(services, client);
  return {
    roots: roots || services.roots ? {} : undefined,
    sampling: sampling ? {} : undefined,
    elicitation: form || url ? { ...(form && { form: {} }), ...(url && { url: {} }) } : undefined,
  };
}

/** To be called before the client is connected. */
export function serveNested(client: Client, asked: NestedRequest): void {
  const { roots, sampling } = asked.services;
  const capabilities = advertised(asked.services);
  if (roots)
    client.setRequestHandler('roots/list', async () => {
      asked.counts.roots++;
      await asked.services.note?.({ asked: 'roots' });
      return listRoots(roots);
    });
  if (capabilities.sampling) {
    const byModel = sampling && createSampling(asked, sampling);
    client.setRequestHandler('sampling/createMessage', (request, context) => {
      const caller = asked.caller?.();
      if (caller && asked.clientSampling && askable(asked.services, caller).sampling)
        return asked.clientSampling.ask(caller, request.params, context.mcpReq.signal);
      if (!byModel) throw new ProtocolError(REJECTED, 'User rejected sampling request');
      return byModel(request, context);
    });
  }
  if (!capabilities.elicitation) return;
  const byOperator = createElicitation(asked);
  client.setRequestHandler('elicitation/create', (request, context) => {
    const caller = asked.caller?.();
    const mode = request.params.mode === 'url' ? 'url' : 'form';
    if (!caller || !askable(asked.services, caller)[mode]) return byOperator(request, context);
    const services = { ...asked.services, operator: operatorAt(caller) };
    return createElicitation({ ...asked, services })(request, context);
  });
}
