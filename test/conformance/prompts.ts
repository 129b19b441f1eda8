/** Prompts of the test surface, one of which asks before it answers. */
import {
  acceptedContent,
  completable,
  type GetPromptResult,
  inputRequired,
  type McpServer,
  type RegisteredPrompt,
} from '@modelcontextprotocol/server';
import { z } from 'zod';
import type { ChangingLists } from './changing-lists.ts';
import { RED_PIXEL_PNG } from './samples.ts';

type Content = GetPromptResult['messages'][number]['content'];

const WORDS = ['test one', 'test two', 'paris'];
const CONTEXT = z.object({ context: z.string() });

function fromUser(...contents: Content[]): GetPromptResult {
  return { messages: contents.map((content) => ({ role: 'user', content })) };
}

function text(said: string): Content {
  return { type: 'text', text: said };
}

/** Returns the one that comes and goes. */
export function registerPrompts(mcp: McpServer, lists: ChangingLists): RegisteredPrompt {
  const changing = mcp.registerPrompt('test_changing_prompt', { description: 'Comes and goes' }, () =>
    fromUser(text('Still here')),
  );
  if (!lists.has.prompt) changing.update({ enabled: false });
  mcp.registerPrompt('test_simple_prompt', { description: 'Says one thing' }, () =>
    fromUser(text('This is a simple prompt for testing.')),
  );
  mcp.registerPrompt(
    'test_prompt_with_arguments',
    {
      description: 'Says what it was told',
      argsSchema: z.object({
        arg1: completable(z.string().describe('First test argument'), (value) =>
          WORDS.filter((word) => word.startsWith(value)),
        ),
        arg2: z.string().describe('Second test argument'),
      }),
    },
    ({ arg1, arg2 }) => fromUser(text(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`)),
  );
  mcp.registerPrompt(
    'test_prompt_with_embedded_resource',
    {
      description: 'Carries a resource',
      argsSchema: z.object({ resourceUri: z.string().describe('URI of the resource to embed') }),
    },
    ({ resourceUri: uri }) =>
      fromUser(
        {
          type: 'resource',
          resource: { uri, mimeType: 'text/plain', text: 'Embedded resource content for testing.' },
        },
        text('Please process the embedded resource above.'),
      ),
  );
  mcp.registerPrompt('test_prompt_with_image', { description: 'Carries a picture' }, () =>
    fromUser(
      { type: 'image', data: RED_PIXEL_PNG, mimeType: 'image/png' },
      text('Please analyze the image above.'),
    ),
  );
  mcp.registerPrompt('test_input_required_result_prompt', { description: 'Asks first' }, ({ mcpReq }) => {
    const answer = acceptedContent(mcpReq.inputResponses, 'user_context', CONTEXT);
    if (answer) return fromUser(text(`The context is ${answer.context}`));
    const message = 'What context should the prompt use?';
    const user_context = inputRequired.elicit({ message, requestedSchema: CONTEXT });
    return inputRequired({ inputRequests: { user_context } });
  });
  return changing;
}
