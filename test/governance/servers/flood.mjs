// A server that says far too much. Every message is valid: only their number is wrong.
import { once } from 'node:events';
import { createInterface } from 'node:readline';

const heard = { lists: 0, answers: 0, refusals: 0 };
const lineOf = (message) => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`;
const send = (message) => process.stdout.write(lineOf(message));
const text = (value) => ({ content: [{ type: 'text', text: JSON.stringify(value) }] });

/** Writes as fast as it is read, and hears what it is asked in between. */
async function pour(count, messageAt) {
  for (let at = 0; at < count; ) {
    let some = '';
    for (const most = Math.min(count, at + 500); at < most && some.length < 64_000; at++)
      some += lineOf(messageAt(at));
    if (!process.stdout.write(some)) await once(process.stdout, 'drain');
    await new Promise(setImmediate);
  }
}

const KINDS = {
  lists: () => ({ method: 'notifications/tools/list_changed' }),
  logs: (at) => ({ method: 'notifications/message', params: { level: 'info', data: `line ${at}` } }),
  progress: (at, progressToken) => ({
    method: 'notifications/progress',
    params: { progressToken, progress: at },
  }),
  unknown: (at) => ({ method: `notifications/nonsense_${at % 7}` }),
  updated: (at) => ({ method: 'notifications/resources/updated', params: { uri: `memo://${at}` } }),
  roots: (at) => ({ id: `r${at}`, method: 'roots/list' }),
  huge: (at) => ({
    method: 'notifications/message',
    params: { level: 'info', data: `${at}`.padEnd(2_000_000) },
  }),
};

KINDS.mixed = (at) => KINDS[['lists', 'logs', 'unknown'][at % 3]](at);

const tools = [
  { name: 'get_flood', description: 'Floods with messages of a kind', inputSchema: { type: 'object' } },
  { name: 'get_heard', description: 'Says what it was asked', inputSchema: { type: 'object' } },
];

async function call({ name, arguments: { kind, count } = {}, _meta }) {
  if (name === 'get_heard') return text(heard);
  await pour(count, (at) => KINDS[kind](at, _meta?.progressToken));
  return text('flooded');
}

const capabilities = { tools: { listChanged: true }, logging: {} };
const results = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities,
    serverInfo: { name: 'flood', version: '1' },
  }),
  ping: () => ({}),
  'logging/setLevel': () => ({}),
  'tools/list': () => {
    heard.lists++;
    return { tools };
  },
  'tools/call': call,
};

// With this argument it floods by itself from its start to its end.
if (process.argv[2] !== undefined) void pour(Number.POSITIVE_INFINITY, (at) => KINDS[process.argv[2]](at));

createInterface({ input: process.stdin })
  .on('line', async (line) => {
    const { id, method, params, error } = JSON.parse(line);
    if (method === undefined) return void heard[error ? 'refusals' : 'answers']++;
    if (id === undefined) return;
    const result = await results[method]?.(params);
    send(result ? { id, result } : { id, error: { code: -32601, message: 'Method not found' } });
  })
  .on('close', () => process.exit(0));
