// Requests of clients of both eras, and sessions of the older one.
import { setTimeout as sleep } from 'node:timers/promises';

export const PAUSE_MS = 50;
const TIMEOUT_MS = 20_000;
const MODERN = '2026-07-28';
const LEGACY = '2025-11-25';
const CLIENT = { name: 'faults', version: '1' };

/** The text of a tool's answer; throws when it is an error. */
export async function call(world, name, args, token = world.token) {
  const meta = {
    'io.modelcontextprotocol/protocolVersion': MODERN,
    'io.modelcontextprotocol/clientCapabilities': {},
    'io.modelcontextprotocol/clientInfo': CLIENT,
  };
  const headers = {
    'MCP-Protocol-Version': MODERN,
    'Mcp-Method': 'tools/call',
    'Mcp-Name': name,
    Authorization: `Bearer ${token}`,
  };
  const params = { name, arguments: args, _meta: meta };
  const { status, message, text } = await rpc(world, { method: 'tools/call', params }, headers);
  if (status === 200 && message?.result && !message.result.isError) return message.result.content[0].text;
  throw Object.assign(new Error(`HTTP ${status}: ${text.slice(0, 300)}`), { status });
}

/** Tries until it is done, however long that takes. */
export async function insist(work) {
  for (let tries = 0; ; tries++) {
    try {
      return await work();
    } catch (error) {
      if (tries > 200) throw error;
      await sleep(PAUSE_MS * 4);
    }
  }
}

export function inSession(session) {
  return { 'Mcp-Session-Id': session, 'MCP-Protocol-Version': LEGACY };
}

export function beginSession(world) {
  return insist(async () => {
    const params = { protocolVersion: LEGACY, capabilities: {}, clientInfo: CLIENT };
    const { headers, text, status } = await rpc(world, { method: 'initialize', params });
    const session = headers.get('mcp-session-id');
    if (!session) throw new Error(`no session: HTTP ${status} ${text.slice(0, 200)}`);
    await insist(() =>
      rpc(world, { id: undefined, method: 'notifications/initialized' }, inSession(session)),
    );
    return session;
  });
}

export async function rpc(world, message, headers = {}) {
  const answer = await fetch(`${world.origin}/mcp`, {
    method: 'POST',
    signal: AbortSignal.timeout(TIMEOUT_MS),
    headers: { ...usual(world), 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, ...message }),
  });
  const text = await answer.text();
  if (answer.status >= 500) throw new Error(`HTTP ${answer.status}: ${text.slice(0, 200)}`);
  return { status: answer.status, headers: answer.headers, text, message: messageIn(text) };
}

export function usual(world) {
  return { Accept: 'application/json, text/event-stream', Authorization: `Bearer ${world.token}` };
}

/** The answer, whether it came alone or as the last event of a stream. */
function messageIn(text) {
  const last =
    text
      .match(/^data: (.+)$/gm)
      ?.at(-1)
      ?.slice(6) ?? text;
  try {
    return JSON.parse(last);
  } catch {
    return undefined;
  }
}

export async function post(url, form) {
  const answer = await fetch(url, {
    method: 'POST',
    signal: AbortSignal.timeout(TIMEOUT_MS),
    body: new URLSearchParams(form),
  });
  if (answer.status >= 500) throw new Error(`HTTP ${answer.status}`);
  return { status: answer.status, body: await answer.json() };
}

/** Undefined when it failed; both are counted, and how long nothing of the kind succeeded. */
export async function attempt(world, kind, work) {
  const count = world.counts[kind];
  try {
    const result = await work();
    count.done++;
    count.longestGapMs = Math.max(count.longestGapMs, performance.now() - count.lastAt);
    count.lastAt = performance.now();
    return result;
  } catch (error) {
    count.failed++;
    count.errors.set(reasonOf(error), (count.errors.get(reasonOf(error)) ?? 0) + 1);
    return undefined;
  }
}

function reasonOf(error) {
  return String(error.cause ?? error)
    .replace(/[0-9a-f]{8,}|\d{4,}/g, '#')
    .slice(0, 160);
}
