// Clients that go on whatever happens, and remember what they were told: every acknowledged note, every token.
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

const PAUSE_MS = 50;
const TIMEOUT_MS = 20_000;
const MODERN = '2026-07-28';
const LEGACY = '2025-11-25';

/** Writes notes of its own; `acknowledged` maps each path to its text. */
export async function writer(world, name) {
  const acknowledged = new Map();
  for (let count = 0; world.isRunning(); count++) {
    const path = `${name}/${count}.md`;
    const content = `# ${count}\n\n${randomBytes(24).toString('hex')}\n`;
    const told = await attempt(world, 'write', async () => {
      await call(world, 'write_note', { path, content });
      return true;
    });
    if (told) acknowledged.set(path, content);
    await sleep(PAUSE_MS);
  }
  return acknowledged;
}

/** Refreshes its tokens again and again. An answer that was lost is asked for again, as clients do. */
export async function refresher(world) {
  let lockedOut = 0;
  let { refresh_token, client_id } = await world.logIn();
  while (world.isRunning()) {
    const form = { grant_type: 'refresh_token', refresh_token, client_id };
    const answer = await attempt(world, 'refresh', () => post(`${world.origin}/oauth/token`, form));
    if (answer?.status === 200) ({ refresh_token } = answer.body);
    else if (answer?.body?.error === 'invalid_grant') {
      lockedOut++;
      ({ refresh_token, client_id } = await world.logIn());
    }
    await sleep(PAUSE_MS * 4);
  }
  return lockedOut;
}

/** Calls in one session of the older era, which must outlive every replica. */
export async function sessionKeeper(world) {
  let lost = 0;
  let session = await beginSession(world);
  while (world.isRunning()) {
    const headers = { 'Mcp-Session-Id': session, 'MCP-Protocol-Version': LEGACY };
    const answer = await attempt(world, 'session', () =>
      rpc(world, { method: 'tools/call', params: { name: 'list_directory', arguments: {} } }, headers),
    );
    if (answer?.status === 404) {
      lost++;
      session = await beginSession(world);
    }
    await sleep(PAUSE_MS);
  }
  return lost;
}

async function beginSession(world) {
  for (;;) {
    const params = {
      protocolVersion: LEGACY,
      capabilities: {},
      clientInfo: { name: 'faults', version: '1' },
    };
    const answer = await attempt(world, 'session', () => rpc(world, { method: 'initialize', params }));
    const session = answer?.headers.get('mcp-session-id');
    if (session) {
      const headers = { 'Mcp-Session-Id': session, 'MCP-Protocol-Version': LEGACY };
      await attempt(world, 'session', () =>
        rpc(world, { id: undefined, method: 'notifications/initialized' }, headers),
      );
      return session;
    }
    if (!world.isRunning()) return undefined;
    await sleep(PAUSE_MS * 4);
  }
}

/** The text of a tool's answer; throws when it is an error. */
export async function call(world, name, args) {
  const meta = {
    'io.modelcontextprotocol/protocolVersion': MODERN,
    'io.modelcontextprotocol/clientCapabilities': {},
    'io.modelcontextprotocol/clientInfo': { name: 'faults', version: '1' },
  };
  const headers = { 'MCP-Protocol-Version': MODERN, 'Mcp-Method': 'tools/call', 'Mcp-Name': name };
  const params = { name, arguments: args, _meta: meta };
  const { status, text } = await rpc(world, { method: 'tools/call', params }, headers);
  if (status !== 200 || !text.includes('"result"') || text.includes('"isError":true'))
    throw new Error(`HTTP ${status}: ${text.slice(0, 200)}`);
  return text;
}

async function rpc(world, message, headers = {}) {
  const answer = await fetch(`${world.origin}/mcp`, {
    method: 'POST',
    signal: AbortSignal.timeout(TIMEOUT_MS),
    headers: {
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
      Authorization: `Bearer ${world.token}`,
      ...headers,
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, ...message }),
  });
  const text = await answer.text();
  if (answer.status >= 500) throw new Error(`HTTP ${answer.status}: ${text.slice(0, 200)}`);
  return { status: answer.status, headers: answer.headers, text };
}

async function post(url, form) {
  const answer = await fetch(url, {
    method: 'POST',
    signal: AbortSignal.timeout(TIMEOUT_MS),
    body: new URLSearchParams(form),
  });
  if (answer.status >= 500) throw new Error(`HTTP ${answer.status}`);
  return { status: answer.status, body: await answer.json() };
}

/** Undefined when it failed; both are counted, and how long nothing of the kind succeeded. */
async function attempt(world, kind, work) {
  const count = world.counts[kind];
  try {
    const result = await work();
    count.done++;
    count.longestGapMs = Math.max(count.longestGapMs, performance.now() - count.lastAt);
    count.lastAt = performance.now();
    return result;
  } catch (error) {
    count.failed++;
    count.lastError = String(error);
    return undefined;
  }
}
