// Requests over HTTP as clients of both eras send them, with as little of our own processor time as possible.
import { Agent, request } from 'node:http';

const MODERN = '2026-07-28';
const LEGACY = '2025-11-25';
const TIMEOUT_MS = 30_000;

export const keptOpen = (sockets) => new Agent({ keepAlive: true, maxSockets: sockets });

/** Resolves to the answer's text; throws when it is not what was asked for. */
export async function read(server, agent) {
  const body = JSON.stringify(
    callOf(server.read, {
      'io.modelcontextprotocol/protocolVersion': MODERN,
      'io.modelcontextprotocol/clientCapabilities': {},
      'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1' },
    }),
  );
  const headers = {
    'MCP-Protocol-Version': MODERN,
    'Mcp-Method': 'tools/call',
    'Mcp-Name': server.read.name,
  };
  return answered(await send(server, agent, body, headers));
}

/** The same in a session. */
export async function readIn(session, server, agent) {
  const headers = { 'Mcp-Session-Id': session, 'MCP-Protocol-Version': LEGACY };
  return answered(await send(server, agent, JSON.stringify(callOf(server.read)), headers));
}

/** Resolves to the id of a new session. */
export async function openSession(server, agent) {
  const params = { protocolVersion: LEGACY, capabilities: {}, clientInfo: { name: 'bench', version: '1' } };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params });
  const { status, session } = await send(server, agent, body, {});
  if (status !== 200 || !session) throw new Error(`no session: HTTP ${status}`);
  return session;
}

function callOf(params, meta) {
  return { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { ...params, ...(meta && { _meta: meta }) } };
}

function answered({ status, text }) {
  if (status !== 200 || !text.includes('"result"') || text.includes('"isError":true'))
    throw new Error(`HTTP ${status}: ${text.slice(0, 200)}`);
  return text;
}

function send({ origin, token }, agent, body, headers) {
  return new Promise((resolve, reject) => {
    const sent = request(
      `${origin}/mcp`,
      {
        method: 'POST',
        agent,
        headers: {
          'Content-Type': 'application/json',
          Accept: 'application/json, text/event-stream',
          ...(token && { Authorization: `Bearer ${token}` }),
          'Content-Length': Buffer.byteLength(body),
          ...headers,
        },
      },
      (response) => {
        const chunks = [];
        response.on('data', (chunk) => chunks.push(chunk));
        response.once('error', reject);
        response.once('end', () =>
          resolve({
            status: response.statusCode,
            session: response.headers['mcp-session-id'],
            text: Buffer.concat(chunks).toString(),
          }),
        );
      },
    );
    sent.setTimeout(TIMEOUT_MS, () => sent.destroy(new Error('timeout')));
    sent.once('error', reject);
    sent.end(body);
  });
}
