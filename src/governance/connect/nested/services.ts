/** What we do for servers that ask back. One object, the same over stdio and HTTP; only what it has is advertised. */
import type { Client, ClientCapabilities } from '@modelcontextprotocol/client';
import { createElicitation } from './elicitation.ts';
import type { Operator, SampleProvider } from './operator.ts';
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
  };
  readonly elicitation?: { readonly form: boolean; readonly url: boolean };
  /** How long the operator may take. */
  readonly waitMs: number;
}

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
    client.setRequestHandler('roots/list', () => {
      asked.counts.roots++;
      return listRoots(roots);
    });
  if (sampling) client.setRequestHandler('sampling/createMessage', createSampling(asked, sampling));
  if (capabilities.elicitation) client.setRequestHandler('elicitation/create', createElicitation(asked));
}
