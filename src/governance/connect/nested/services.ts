/** What we do for servers that ask back. One object, the same over stdio and HTTP; only what it has is advertised. */
import type { Client, ClientCapabilities } from '@modelcontextprotocol/client';
import { createElicitation } from './elicitation.ts';
import type { Answer, Operator, SampleProvider, SamplingApprover } from './operator.ts';
import { listRoots } from './roots.ts';
import { createSampling } from './sampling.ts';

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

export function advertised({ roots, sampling, elicitation }: NestedServices): ClientCapabilities {
  return {
    ...(roots && { roots: { listChanged: true } }),
    ...(sampling && { sampling: {} }),
    ...((elicitation?.form || elicitation?.url) && {
      elicitation: {
        ...(elicitation.form && { form: { applyDefaults: true } }),
        ...(elicitation.url && { url: {} }),
      },
    }),
  };
}

export interface Asked {
  readonly server: string;
  readonly services: NestedServices;
  readonly counts: NestedCounts;
  /** Runs while somebody is asked, so that clocks stand still. */
  during<T>(work: (signal: AbortSignal) => Promise<T>, signal: AbortSignal): Promise<T>;
}

/** To be called before the client is connected. */
export function serveNested(client: Client, asked: Asked): void {
  const { roots, sampling } = asked.services;
  const capabilities = advertised(asked.services);
  if (roots)
    client.setRequestHandler('roots/list', async () => {
      asked.counts.roots++;
      await asked.services.note?.({ asked: 'roots' });
      return listRoots(roots);
    });
  if (sampling) client.setRequestHandler('sampling/createMessage', createSampling(asked, sampling));
  if (capabilities.elicitation) client.setRequestHandler('elicitation/create', createElicitation(asked));
}
