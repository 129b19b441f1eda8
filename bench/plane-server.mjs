// The smallest server there is: one tool, which returns its argument, or as many like it as its argument says.
import { createInterface } from 'node:readline';

const toolOf = (name, description) => ({
  name,
  description,
  inputSchema: { type: 'object', properties: { text: { type: 'string' } } },
});
const count = Number(process.argv[2] ?? 0);
const more = Array.from({ length: count }, (_, at) =>
  toolOf(`get_item_${at}`, `Reads the item of number ${at}, with all that belongs to it.`),
);

const results = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: 'echo', version: '1' },
  }),
  ping: () => ({}),
  'tools/list': () => ({ tools: [toolOf('get_echo', 'Says what it was told'), ...more] }),
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
