// A server that speaks just enough of the protocol, and misbehaves as its arguments or calls say.
import { spawn } from 'node:child_process';
import { closeSync, readdirSync, readlinkSync, writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

const modes = process.argv.slice(2);
const is = (mode) => modes.includes(mode);
const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
const text = (value) => ({ content: [{ type: 'text', text: JSON.stringify(value) }] });
const cancelled = [];
let asked = 0;
const answers = new Map();

function ask(method, params) {
  const id = `ask-${++asked}`;
  send({ id, method, params });
  return new Promise((resolve) => answers.set(id, resolve));
}

const descriptors = () =>
  readdirSync('/proc/self/fd').flatMap((name) => {
    try {
      return [{ fd: Number(name), to: readlinkSync(`/proc/self/fd/${name}`) }];
    } catch {
      return [];
    }
  });

function holdPipes() {
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], {
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  return child.pid;
}

const tools = {
  echo: (args) => text(args),
  where: () =>
    text({
      argv0: process.argv0,
      env: process.env,
      cwd: process.cwd(),
      descriptors: descriptors(),
      pid: process.pid,
    }),
  exit: () => process.exit(3),
  never: () => new Promise(() => {}),
  cancelled: () => text(cancelled),
  big: ({ bytes }) => text('x'.repeat(bytes)),
  long_line: () => void process.stdout.write('x'.repeat(5 * 1024 * 1024)),
  noise: ({ lines }) => {
    for (let at = 0; at < lines; at++) process.stdout.write(`noise ${at}\n`);
    return text('done');
  },
  complain: ({ bytes, end }) => {
    process.stderr.write('x'.repeat(bytes) + end);
    return text('done');
  },
  grandchild: () => text({ pid: holdPipes() }),
  leave_grandchild: ({ file }) => {
    writeFileSync(file, String(holdPipes()));
    setTimeout(() => process.exit(0), 50);
    return new Promise(() => {});
  },
  ask: async ({ method, params }) => text(await ask(method, params)),
  changed: () => {
    send({ method: 'notifications/tools/list_changed' });
    return text('told');
  },
};

async function progress({ times, every, last }, meta) {
  for (let at = 1; at <= times; at++) {
    await new Promise((resolve) => setTimeout(resolve, every));
    send({ method: 'notifications/progress', params: { progressToken: meta?.progressToken, progress: at } });
  }
  await new Promise((resolve) => setTimeout(resolve, last));
  return text('done');
}

/** Wants pages to be visited: `ids` of each round, one list per call. */
const rounds = new Map();
function pages({ key, ids, url, complete }) {
  const round = rounds.get(key) ?? 0;
  rounds.set(key, round + 1);
  const wanted = ids[round];
  if (!wanted) return text({ rounds: round });
  if (complete === 'early') for (const id of wanted) tellDone(id);
  if (complete === 'later') setTimeout(() => wanted.forEach(tellDone), 100);
  throw {
    code: -32042,
    message: 'Visit a page first',
    data: {
      elicitations: wanted.map((elicitationId) => ({ mode: 'url', elicitationId, url, message: 'Please' })),
    },
  };
}
const tellDone = (elicitationId) =>
  send({ method: 'notifications/elicitation/complete', params: { elicitationId } });

async function result(method, params) {
  switch (method) {
    case 'initialize':
      if (is('silent')) return new Promise(() => {});
      if (is('slow')) await new Promise((resolve) => setTimeout(resolve, 1500));
      return {
        protocolVersion: params.protocolVersion,
        capabilities: { tools: { listChanged: true } },
        serverInfo: { name: 'odd', version: JSON.stringify(params.capabilities) },
      };
    case 'ping':
      return {};
    case 'tools/list': {
      const page = Number(params?.cursor ?? 0);
      const names = [...Object.keys(tools), 'progress', 'pages'];
      const entry = (name) => ({ name, inputSchema: { type: 'object' } });
      if (is('endless')) return { tools: [entry(`tool_${page}`)], nextCursor: String(page + 1) };
      return page < names.length - 1
        ? { tools: [entry(names[page])], nextCursor: String(page + 1) }
        : { tools: [entry(names[page])] };
    }
    case 'tools/call': {
      const { name, arguments: args = {}, _meta } = params;
      if (name === 'progress') return progress(args, _meta);
      if (name === 'pages') return pages(args);
      return tools[name](args);
    }
    default:
      throw { code: -32601, message: 'Method not found' };
  }
}

if (is('crash')) process.exit(7);
if (is('flood')) setInterval(() => process.stdout.write('not json\n'.repeat(1000)), 1);
if (is('early')) send({ method: 'notifications/tools/list_changed' });
if (is('early')) send({ id: 99, result: {} });
if (is('deaf')) process.on('SIGTERM', () => {});
if (is('deaf')) setInterval(() => {}, 1000);
if (is('close-stdout')) closeSync(1);

createInterface({ input: process.stdin }).on('line', async (line) => {
  const { id, method, params, result: answer, error } = JSON.parse(line);
  if (method === undefined) {
    answers.get(id)?.(error ? { error } : answer);
    return;
  }
  if (method === 'notifications/cancelled') {
    cancelled.push(params);
    // An answer to a cancelled request.
    if (is('late')) send({ id: params.requestId, result: text('late') });
  }
  if (id === undefined) return;
  if (method === 'server/discover' && is('leaves-when-probed')) process.exit(0);
  try {
    const value = await result(method, params);
    if (value) send({ id, result: value });
  } catch (problem) {
    send({ id, error: { code: problem.code ?? -32603, message: problem.message, data: problem.data } });
  }
});
