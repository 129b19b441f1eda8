/** Puts prompts on a protocol server. */
import { ProtocolError, ProtocolErrorCode, type Server } from '@modelcontextprotocol/server';
import { nearest } from '../shared/nearest.ts';
import { problemOf } from './problem-of.ts';
import type { Prompts } from './prompts.ts';
import { type RequestedParts, requestedOf } from './requested-of.ts';

export function servePrompts(server: Server, prompts: Prompts, parts: RequestedParts): void {
  server.setRequestHandler('prompts/list', async () => ({ prompts: [...(await prompts.list())] }));

  server.setRequestHandler('prompts/get', async ({ params }, context) => {
    const { name, arguments: args = {} } = params;
    const request = { ...requestedOf(server, context, parts), name, args };
    const result = await prompts.get(request).catch((error) => {
      throw problemOf(error);
    });
    return result ?? refuse(name, prompts);
  });
}

async function refuse(name: string, prompts: Prompts): Promise<never> {
  const names = (await prompts.list()).map((prompt) => prompt.name);
  const suggestion = nearest(name, names);
  const help = suggestion ? `Did you mean ${suggestion}?` : `Prompts: ${names.join(', ')}`;
  throw new ProtocolError(
    ProtocolErrorCode.InvalidParams,
    `Unknown prompt: ${name.slice(0, 100)}. ${help}`.trim(),
  );
}
