// Clients of the older era whose streams break, and which go on at whichever replica they reach.
import { setTimeout as sleep } from 'node:timers/promises';
import { attempt, beginSession, call, inSession, insist, PAUSE_MS, rpc, usual } from './requests.mjs';

const NOTES = 12;
/** A change that is not told by then never is. */
const PATIENCE_MS = 60_000;
/** How long a stream stays open before its client breaks it. */
const [SHORTEST_MS, LONGEST_MS] = [2_000, 10_000];
export const STEPS = 6;

/** Subscribes to notes, keeps a stream open, and changes the notes. */
export async function follower(world, name) {
  const found = { events: 0, twice: 0, changes: 0, never: 0, refused: 0, lost: 0, resumed: 0, slowestMs: 0 };
  const paths = Array.from({ length: NOTES }, (_, at) => `${name}/${at}.md`);
  for (const path of paths) await insist(() => call(world, 'write_note', { path, content: '# 0\n' }));
  /** When a change began that was not told yet, and when each note was told of last. */
  const [waiting, toldAt] = [new Map(), new Map()];
  const settle = (path) => {
    const since = waiting.get(path);
    if (since === undefined || !(toldAt.get(path) >= since)) return;
    waiting.delete(path);
    found.slowestMs = Math.max(found.slowestMs, toldAt.get(path) - since);
  };
  const heard = ({ message }) => {
    if (message.method !== 'notifications/resources/updated') return;
    const path = paths.find((one) => message.params.uri.endsWith(one));
    toldAt.set(path, performance.now());
    settle(path);
  };
  const stop = new AbortController();
  let subscribed = () => {};
  const isSubscribed = new Promise((resolve) => {
    subscribed = resolve;
  });
  const listening = listen(world, { paths, found, heard, subscribed, signal: stop.signal });
  await isSubscribed;
  for (let count = 1; world.isRunning(); count++) {
    const path = paths[count % NOTES];
    if (waiting.has(path)) {
      giveUpOn(path);
      await sleep(PAUSE_MS);
      continue;
    }
    const since = performance.now();
    // Replicas do not know what was read on others, and may refuse to replace a text.
    const change = { path, content: `${count}`, mode: 'append' };
    const isDone = await attempt(world, 'write', () => call(world, 'write_note', change).then(() => true));
    if (isDone) {
      found.changes++;
      waiting.set(path, since);
      settle(path);
    }
    await sleep(PAUSE_MS * 4);
  }
  while (waiting.size > 0) {
    for (const path of [...waiting.keys()]) giveUpOn(path);
    await sleep(PAUSE_MS);
  }
  stop.abort();
  await listening;
  return found;

  function giveUpOn(path) {
    if (performance.now() - waiting.get(path) < PATIENCE_MS) return;
    waiting.delete(path);
    found.never++;
    process.stderr.write(`never told: ${path} at ${new Date().toISOString()}\n`);
  }
}

async function listen(world, { paths, found, heard, subscribed, signal }) {
  let session;
  let last;
  let seen = new Set();
  const begin = async () => {
    session = await beginSession(world);
    [last, seen] = [undefined, new Set()];
    for (const path of paths)
      await insist(async () => {
        const message = { method: 'resources/subscribe', params: { uri: `${world.notes}${path}` } };
        const { message: answer, text } = await rpc(world, message, inSession(session));
        if (!answer?.result) throw new Error(`not subscribed: ${text.slice(0, 200)}`);
      });
  };
  await begin();
  subscribed();
  while (!signal.aborted) {
    const broken = new AbortController();
    const timer = setTimeout(() => broken.abort(), timeToBreak(world));
    const stop = () => broken.abort();
    signal.addEventListener('abort', stop);
    const { status, text } = await readStream(world, { session, last, signal: broken.signal }, (event) => {
      last = event.id ?? last;
      if (!event.message) return;
      found.events++;
      if (seen.has(event.id)) found.twice++;
      seen.add(event.id);
      heard(event);
    });
    clearTimeout(timer);
    signal.removeEventListener('abort', stop);
    if (status === 200 && last) found.resumed++;
    else if (status === 404) {
      found.lost++;
      process.stderr.write(`session with a stream lost: ${text}\n`);
      await begin();
    } else if (status === 400) {
      found.refused++;
      process.stderr.write(`stream refused: ${text} after ${last}\n`);
      last = undefined;
    }
    await sleep(status === 200 ? PAUSE_MS : PAUSE_MS * 4);
  }
}

/** Makes long calls that tell of their progress, breaks some of their streams, and asks for the rest. */
export async function longCaller(world) {
  const found = { answered: 0, lost: 0, silent: 0, twice: 0, events: 0, refused: 0, resumed: 0, unbegun: 0 };
  let session = await beginSession(world);
  for (let id = 1; world.isRunning(); id++) {
    const outcome = await longCall(world, { session, id, found });
    found[outcome]++;
    if (outcome === 'refused' || outcome === 'unbegun') session = await beginSession(world);
    await sleep(PAUSE_MS * 2);
  }
  return found;
}

async function longCall(world, { session, id, found }) {
  const seen = new Set();
  const call = { jsonrpc: '2.0', id, method: 'tools/call' };
  const params = { name: 'slow', arguments: {}, _meta: { progressToken: `t${id}` } };
  let last;
  let progress = 0;
  let answer;
  const take = (event) => {
    last = event.id ?? last;
    const { message } = event;
    if (!message) return;
    found.events++;
    if (event.id !== undefined && seen.has(event.id)) found.twice++;
    seen.add(event.id);
    if (message.method === 'notifications/progress') {
      if (message.params.progress <= progress) found.twice++;
      progress = message.params.progress;
    }
    if (message.id === id && !message.method) answer = message;
  };
  const until = performance.now() + PATIENCE_MS;
  let body = JSON.stringify({ ...call, params });
  let isOver = 0;
  while (!answer && performance.now() < until && isOver < 3) {
    const signal = AbortSignal.timeout(Math.round(timeToBreak(world) / 3));
    const read = await readStream(world, { session, last, body, signal }, take);
    if (body === undefined && (read.status === 404 || read.status === 400)) {
      process.stderr.write(`call refused: ${read.text} after ${last}\n`);
      return 'refused';
    }
    if (last === undefined && !answer) return 'unbegun';
    if (body === undefined && read.status === 200) found.resumed++;
    if (body === undefined && read.isEnded && !answer) isOver++;
    body = undefined;
    await sleep(PAUSE_MS);
  }
  if (!answer) process.stderr.write(`no answer: ${last} at ${new Date().toISOString()}\n`);
  if (!answer) return 'silent';
  return answer.error?.data?.reason === 'replica_lost' ? 'lost' : 'answered';
}

function timeToBreak({ random }) {
  return SHORTEST_MS + Math.floor(random() * (LONGEST_MS - SHORTEST_MS));
}

/** Reads a stream until it ends, breaks, or the signal says so. `status` is undefined when nobody answered. */
async function readStream(world, { session, last, body, signal }, take) {
  let status;
  try {
    const answer = await fetch(`${world.origin}/mcp`, {
      method: body === undefined ? 'GET' : 'POST',
      signal,
      headers: {
        ...usual(world),
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
        ...inSession(session),
        ...(last !== undefined && { 'Last-Event-ID': last }),
      },
      body,
    });
    status = answer.status;
    if (status !== 200) return { status, text: (await answer.text()).slice(0, 200) };
    for await (const event of eventsIn(answer)) take(event);
    return { status, isEnded: true };
  } catch {
    return { status };
  }
}

async function* eventsIn(answer) {
  let rest = '';
  for await (const chunk of answer.body.pipeThrough(new TextDecoderStream())) {
    const blocks = (rest + chunk).split('\n\n');
    rest = blocks.pop();
    for (const block of blocks) {
      const field = (name) => new RegExp(`^${name}: ?(.*)$`, 'm').exec(block)?.[1];
      const data = field('data');
      yield { id: field('id'), message: data ? JSON.parse(data) : undefined };
    }
  }
}
