/** Serves the nested requests of upstream servers over any transport. Only configured services are advertised. */
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
import { type Abilities, type CallClient, operatorAt } from './operator.ts';
import type { NestedRequest, NestedServices } from './request.ts';
import { createSampling } from './sampling.ts';

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

/** The nested requests that may be forwarded to the client of a call. */
export function askable({ elicitation, client }: NestedServices, { can }: CallClient): Abilities {
  return {
    form: client?.elicitation === true && elicitation?.form === true && can.form,
    url: client?.elicitation === true && elicitation?.url === true && can.url,
    sampling: client?.sampling !== undefined && can.sampling,
    roots: client?.roots === true && can.roots,
  };
}

/** Capabilities sent with one call (2026-07-28): those of its client, and those that we serve ourselves. */
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
