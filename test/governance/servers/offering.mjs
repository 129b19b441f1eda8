// Prompts, resources and a template that can change, and tools that ask the client, log, or wait. One argument: what its
// things are called after.
import { createInterface } from 'node:readline';

const own = process.argv[2] ?? 'shelf';
const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
const text = (value) => ({ content: [{ type: 'text', text: value }] });
let isChanged = false;
const waiting = [];
const answers = new Map();
let count = 0;

const note = () => (isChanged ? 'Tells something else.' : 'Tells something.');
const tool = (name, properties = {}) => ({
  name,
  description: `Tool ${name}`,
  inputSchema: { type: 'object', properties },
  annotations: { readOnlyHint: true },
});

const LISTS = {
  'tools/list': () => ({
    tools: [
      tool('get_changed'),
      tool('get_asked', { field: { type: 'string' } }),
      tool('get_waited'),
      tool('get_woken'),
      tool('get_told'),
      tool('get_updated'),
      tool('get_page'),
    ],
  }),
  'prompts/list': () => ({
    prompts: [
      { name: 'summary', description: note(), arguments: [{ name: 'topic', required: true }] },
      { name: 'plain', description: 'Says one thing.' },
      { name: 'forbidden_one', description: 'Not for anybody.' },
    ],
  }),
  'resources/list': () => ({
    resources: [
      { uri: `${own}://first`, name: 'first', description: note(), mimeType: 'text/plain' },
      { uri: `${own}://second`, name: 'second' },
      { uri: `${own}://forbidden_one`, name: 'forbidden' },
      { uri: 'shared://one', name: `shared by ${own}` },
    ],
  }),
  'resources/templates/list': () => ({
    resourceTemplates: [{ uriTemplate: `${own}://pages/{page}`, name: 'pages' }],
  }),
};

function ask(method, params) {
  const id = `ask-${++count}`;
  send({ id, method, params });
  return new Promise((resolve) => answers.set(id, resolve));
}

async function call({ name, arguments: args = {} }) {
  switch (name) {
    case 'get_changed':
      isChanged = true;
      send({ method: 'notifications/prompts/list_changed' });
      send({ method: 'notifications/resources/list_changed' });
      return text('changed');
    case 'get_asked': {
      const field = args.field ?? 'size';
      const requestedSchema = {
        type: 'object',
        properties: { [field]: { type: 'string' } },
        required: [field],
      };
      return text(JSON.stringify(await ask('elicitation/create', { message: 'Which?', requestedSchema })));
    }
    case 'get_waited':
      await new Promise((resolve) => waiting.push(resolve));
      return text('woken');
    case 'get_woken':
      for (const wake of waiting.splice(0)) wake();
      return text('done');
    case 'get_told':
      send({ method: 'notifications/message', params: { level: 'info', logger: 'box', data: 'working' } });
      return text('told');
    case 'get_updated':
      send({ method: 'notifications/resources/updated', params: { uri: `${own}://first` } });
      return text('updated');
    default:
      return text(name);
  }
}

async function answer(method, params) {
  if (LISTS[method]) return LISTS[method]();
  switch (method) {
    case 'initialize':
      return {
        protocolVersion: '2025-11-25',
        serverInfo: { name: own, version: '1' },
        capabilities: {
          tools: {},
          prompts: { listChanged: true },
          resources: { subscribe: true, listChanged: true },
          completions: {},
          logging: {},
        },
      };
    case 'tools/call':
      return call(params);
    case 'prompts/get':
      return {
        messages: [
          { role: 'user', content: { type: 'text', text: `${params.name} of ${params.arguments?.topic}` } },
        ],
      };
    case 'resources/read':
      return { contents: [{ uri: params.uri, mimeType: 'text/plain', text: `${own} has ${params.uri}` }] };
    case 'completion/complete':
      return { completion: { values: [`${params.argument.value}!`], total: 1, hasMore: false } };
    default:
      return {};
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params, result, error } = JSON.parse(line);
  if (method === undefined) {
    answers.get(id)?.(result ?? { error });
    answers.delete(id);
  } else if (id !== undefined) {
    if (method === 'server/discover') send({ id, error: { code: -32601, message: 'Method not found' } });
    else void answer(method, params).then((answered) => send({ id, result: answered }));
  }
}
