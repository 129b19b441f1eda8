/** Request bodies in flight have a limit together, for each caller and for all of them. */
import { type ClientRequest, request } from 'node:http';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { INITIALIZE, post, startHttp } from '../../kit/http.ts';
import { temporaryFolder } from '../../kit/temp.ts';

const MB = 1024 ** 2;
const ONE = 'the-token-of-one-caller';
const OTHER = 'the-token-of-another-caller';
const THIRD = 'the-token-of-a-third-caller';
const headersOf = (token: string) => ({
  Authorization: `Bearer ${token}`,
  'Content-Type': 'application/json',
  Accept: 'application/json, text/event-stream',
});

/** Messages of nearly a megabyte whose end is held back, and the answers to those that are refused meanwhile. */
function createHolds(origin: string) {
  const open = new Set<ClientRequest>();
  const refusals: unknown[] = [];
  onTestFinished(() => {
    for (const sent of open) sent.destroy();
  });
  const hold = (token: string) => {
    const sent = request(new URL('/mcp', origin), {
      method: 'POST',
      headers: headersOf(token),
      agent: false,
    });
    open.add(sent);
    sent
      .once('error', () => open.delete(sent))
      .once('response', async (answer) => {
        open.delete(sent);
        let text = '';
        for await (const chunk of answer.setEncoding('utf8')) text += chunk;
        refusals.push([answer.statusCode, answer.headers['retry-after'], JSON.parse(text).error?.code]);
      });
    sent.write(`{"jsonrpc":"2.0","id":7,"method":"ping","padding":"${'x'.repeat(0.95 * MB)}`);
  };
  return { hold, open, refusals };
}

test('beyond it a caller is asked to wait, others are served, and the room comes back', async () => {
  const folder = await temporaryFolder({
    'a.md': 'alpha',
    'quire.yaml': [
      'notebooks: { n: { folder: . } }',
      'serve: { port: 0, bodyLimitMb: 1 }',
      `auth: { mode: bearer, tokens: [${ONE}, ${OTHER}, ${THIRD}] }`,
    ].join('\n'),
  });
  const { origin } = await startHttp(['serve', '--config', join(folder, 'quire.yaml')]);
  const { hold, open, refusals } = createHolds(origin);
  const refused = (count: number) =>
    vi.waitFor(() => expect(refusals).toEqual(Array(count).fill([503, '5', -32000])), { timeout: 20_000 });
  // Half of 16 MB is for one caller: room for eight.
  for (let count = 0; count < 9; count++) hold(ONE);
  await refused(1);
  expect((await post(origin, INITIALIZE, headersOf(OTHER))).status).toBe(200);
  // And 16 MB are for all of them.
  for (let count = 0; count < 8; count++) hold(OTHER);
  hold(THIRD);
  await refused(2);
  expect(open.size).toBe(16);
  for (const sent of open) sent.destroy();
  const body = { jsonrpc: '2.0', id: 7, method: 'ping', padding: 'x'.repeat(0.95 * MB) };
  await vi.waitFor(
    async () => {
      for (const token of [ONE, OTHER, THIRD])
        expect((await post(origin, body, headersOf(token))).status).not.toBe(503);
    },
    { timeout: 20_000 },
  );
});
