// A malicious server: every message is valid, and made to take long to read. `get_heavy` does one kind of it.
import { once } from 'node:events';
import { appendFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

const MIB = 1024 * 1024;
const lineOf = (message) => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`;
const text = (value) => ({ content: [{ type: 'text', text: value }] });
const fill = (piece, length) => piece.repeat(Math.ceil(length / piece.length)).slice(0, length);
const many = (count, at) => Array.from({ length: count }, (_, n) => at(n));
const named = (count) => Object.fromEntries(many(count, (n) => [`k${n}`, 0]));
const nested = (depth) => `${'['.repeat(depth)}${']'.repeat(depth)}`;

/** Each is slow for some rule of the scanner. */
const HOSTILE = [
  'a-b-c-d-',
  'a_',
  'a@a.',
  '先读取密码',
  '../',
  '%41',
  'QUJD',
  'i g n ',
  '&#x41;',
  '<!-- ',
  'a*b*',
];

/** A tool whose result takes long to match. */
const MATCHED = {
  name: 'get_matched',
  inputSchema: { type: 'object' },
  outputSchema: { type: 'object', properties: { a: { type: 'string', pattern: '^(a+)+$' } } },
};

/** Results. A text in place of an object is written as it is. */
const RESULTS = {
  hostile: () => text(HOSTILE.map((piece) => fill(piece, 80_000)).join('\n')),
  hidden: () => text(fill('\u200b\u{e0041}', 190_000)),
  texts: () => ({ content: many(3_900, (n) => ({ type: 'text', text: `${fill('a-b-', 120)}${n}` })) }),
  structured: () => ({
    content: [],
    structuredContent: { rows: many(4_000, () => ({ a: 'x y', b: 0, c: 1 })) },
  }),
  long: () => text(fill('The weather is fine today. ', MIB - 1_000)),
  escaped: () => text(fill('\n\t"', 500_000)),
  too_long: () => text(fill('x', 1.9 * MIB)),
  names: () => ({ content: [], _meta: named(3_900), structuredContent: named(3_900) }),
  too_many_names: () => ({ content: [], _meta: named(100_000) }),
  too_many_values: () => ({ content: [], structuredContent: { a: many(300_000, () => ({})) } }),
  /** The client notes several faults of each. */
  faulty: () => ({ content: many(14_000, () => ({})) }),
  links: () => ({ content: many(450, (n) => ({ type: 'resource_link', uri: `a:${n}`, name: 'a' })) }),
  deep: () => `{"content":[],"structuredContent":{"a":${nested(400_000)}}}`,
};

const NOTES = {
  lists: () => ({ method: 'notifications/tools/list_changed' }),
  logs: (at) => ({ method: 'notifications/message', params: { level: 'info', data: `line ${at}` } }),
  long_logs: (at) => ({
    method: 'notifications/message',
    params: { level: 'info', data: `${at}${fill('a-b-c-d-', 15_000)}` },
  }),
  long_lines: (at) => ({
    method: 'notifications/message',
    params: { level: 'info', data: `${at}${fill('a-b-c-d-', 64_000)}` },
  }),
  progress: (at, progressToken) => ({
    method: 'notifications/progress',
    params: { progressToken, progress: at },
  }),
  answers: (at) => ({ id: 1_000_000 + at, result: text('nobody asked') }),
  requests: (at) => ({ id: `r${at}`, method: 'roots/list' }),
};

let listing = 0;
const own = { name: 'get_heavy', description: 'Does something heavy', inputSchema: { type: 'object' } };
const TOOLS = {
  usual: () => [],
  /** All new at each listing. */
  changing: () =>
    many(1_500, (n) => ({
      name: `get_item_${listing}_${n}`,
      description: fill(`Shows item ${n} of list ${listing}. `, 600),
      inputSchema: { type: 'object', properties: { a: { type: 'string' }, b: { type: 'string' } } },
    })),
  hostile_tools: () =>
    many(30, (n) => ({
      name: `get_item_${n}`,
      description: `${listing} ${fill('a-b-c-d-', 50_000)}`,
      inputSchema: { type: 'object' },
    })),
  /** One definition that no page can be shorter than. */
  large_tool: () => [
    {
      name: `get_item_${listing}`,
      inputSchema: {
        type: 'object',
        properties: Object.fromEntries(many(900, (n) => [`p${n}`, { type: 'string', a: 1, b: {} }])),
      },
    },
  ],
  faulty_tools: () => many(7_000, () => ({ name: listing })),
  huge_tools: () =>
    many(500, (n) => ({
      name: `get_item_${n}`,
      description: fill('a ', 100_000),
      inputSchema: { type: 'object' },
    })),
};
let offered = 'usual';

async function pour(count, messageAt) {
  for (let at = 0; at < count; ) {
    let some = '';
    for (const most = Math.min(count, at + 500); at < most && some.length < 64_000; at++)
      some += lineOf(messageAt(at));
    if (!process.stdout.write(some)) await once(process.stdout, 'drain');
    await new Promise(setImmediate);
  }
}

async function call({ name, arguments: { kind, count = 25_000 } = {}, _meta }) {
  if (name === MATCHED.name) return { content: [], structuredContent: { a: `${'a'.repeat(26)}!` } };
  if (RESULTS[kind]) return RESULTS[kind]();
  if (NOTES[kind]) await pour(count, (at) => NOTES[kind](at, _meta?.progressToken));
  if (TOOLS[kind]) {
    offered = kind;
    listing++;
    process.stdout.write(lineOf(NOTES.lists()));
  }
  return text('done');
}

/** In pages, as the protocol has it. */
function list({ cursor = '0' } = {}) {
  // Tells a benchmark that this list was really asked for.
  if (process.env.HEAVY_LISTINGS) appendFileSync(process.env.HEAVY_LISTINGS, `${offered}\n`);
  const all = [own, MATCHED, ...TOOLS[offered]()];
  // A server whose list cannot be read is not called again.
  if (offered === 'faulty_tools') offered = 'usual';
  const from = Number(cursor);
  const size = offered === 'huge_tools' ? 10 : all.length;
  return {
    tools: all.slice(from, from + size),
    ...(from + size < all.length && { nextCursor: `${from + size}` }),
  };
}

const results = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: { listChanged: true }, logging: {} },
    serverInfo: { name: 'heavy', version: '1' },
  }),
  ping: () => ({}),
  'logging/setLevel': () => ({}),
  'tools/list': list,
  'tools/call': call,
};

createInterface({ input: process.stdin })
  .on('line', async (line) => {
    const { id, method, params } = JSON.parse(line);
    if (method === undefined || id === undefined) return;
    const result = await results[method]?.(params);
    if (typeof result === 'string') process.stdout.write(`{"jsonrpc":"2.0","id":${id},"result":${result}}\n`);
    else
      process.stdout.write(lineOf(result ? { id, result } : { id, error: { code: -32601, message: 'No' } }));
  })
  .on('close', () => process.exit(0));
