/** Puts the completion of arguments on a protocol server. */
import { ProtocolError, ProtocolErrorCode, type Server } from '@modelcontextprotocol/server';
import type { Complete } from './completion.ts';
import { problemOf } from './problem-of.ts';
import type { Caller } from './tool.ts';

export interface Completers {
  readonly prompt?: Complete;
  readonly resource?: Complete;
}

const MOST_VALUES = 100;

export function serveCompletion(server: Server, { prompt, resource }: Completers, caller: Caller): void {
  server.setRequestHandler('completion/complete', async ({ params }, { mcpReq }) => {
    const { ref, argument, context } = params;
    const [complete, of] = ref.type === 'ref/prompt' ? [prompt, ref.name] : [resource, ref.uri];
    const { name, value } = argument;
    const request = { ...caller, of, argument: name, value, signal: mcpReq.signal };
    const completion = await complete?.({ ...request, known: context?.arguments ?? {} }).catch((error) => {
      throw problemOf(error);
    });
    if (!completion) throw unknownArgument(of, name);
    const { values, total } = completion;
    const shown = values.slice(0, MOST_VALUES);
    const hasMore = completion.hasMore ?? (total ?? values.length) > shown.length;
    return { completion: { values: shown, ...(total !== undefined && { total }), hasMore } };
  });
}

function unknownArgument(of: string, name: string): ProtocolError {
  return new ProtocolError(
    ProtocolErrorCode.InvalidParams,
    `Nothing to complete: ${of.slice(0, 100)} is not offered, or has no argument ${name.slice(0, 100)}`,
  );
}
