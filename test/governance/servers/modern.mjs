// A stdio server of both eras that asks back. In the old era the SDK turns what it returns into requests.
import { acceptedContent, inputRequired, inputResponse, McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { z } from 'zod';

const NAME = z.object({ name: z.string() });
const text = (value) => ({ content: [{ type: 'text', text: value }] });

serveStdio(() => {
  const mcp = new McpServer({ name: 'modern', version: '1' });
  mcp.registerTool('test_input_required_result_elicitation', { description: 'Asks for a name' }, (ctx) => {
    const named = acceptedContent(ctx.mcpReq.inputResponses, 'who', NAME);
    if (named) return text(`Hello, ${named.name}!`);
    return inputRequired({
      inputRequests: { who: inputRequired.elicit({ message: 'Your name?', requestedSchema: NAME }) },
    });
  });
  const ask = (name, request) =>
    mcp.registerTool(name, { description: 'Asks' }, (ctx) => {
      const heard = inputResponse(ctx.mcpReq.inputResponses, 'it');
      if (heard.kind === 'missing') return inputRequired({ inputRequests: { it: request } });
      return text(`Heard: ${JSON.stringify(heard)}`);
    });
  ask(
    'test_input_required_result_sampling',
    inputRequired.createMessage({
      messages: [{ role: 'user', content: { type: 'text', text: 'Hello' } }],
      maxTokens: 100,
    }),
  );
  ask('test_input_required_result_list_roots', inputRequired.listRoots());
  return mcp;
});
