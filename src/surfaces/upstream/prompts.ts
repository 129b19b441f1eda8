/** The prompts of governed servers as prompts of our own endpoint. */
import type { GetPromptResult } from '@modelcontextprotocol/server';
import { callExposed, completeExposed } from '../../governance/exposed-calls.ts';
import type { Completion, PromptRequest, Prompts } from '../../mcp/offers.ts';
import type { Questions } from '../../mcp/request.ts';
import { mayUse, metaOf, whoCalls } from './answer.ts';
import { promptOf } from './definition.ts';
import { inProtocolWords, isAnswer, type UpstreamParts } from './parts.ts';

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
