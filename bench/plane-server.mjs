// The smallest server there is: one tool, which returns its argument.
import { createInterface } from 'node:readline';

const results = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: 'echo', version: '1' },
  }),
  ping: () => ({}),
  'tools/list': () => ({
    tools: [
      {
        name: 'get_echo',
        description: 'Says what it was told',
        inputSchema: { type: 'object', properties: { text: { type: 'string' } } },
      },
    ],
  }),
  'tools/call': ({ arguments: { text } }) => ({ content: [{ type: 'text', text }] }),
};

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  const answer = results[method];
  const end = answer
    ? { result: answer(params ?? {}) }
    : { error: { code: -32601, message: 'Method not found' } };
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, ...end })}\n`);
});
