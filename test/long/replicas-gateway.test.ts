/** The gateway to Triliums as two real processes on one database: sessions, streams and limits are those of both. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { headersFor, INITIALIZE_PARAMS, openSession, openStream } from '../kit/gateway.ts';
import { INITIALIZE, post, startHttp } from '../kit/http.ts';
import { describeWith } from '../kit/needs.ts';
import { freshDatabase, postgresNeed } from '../kit/postgres.ts';
import { temporaryFolder } from '../kit/temp.ts';
import { startTrilium } from '../kit/trilium/server.ts';

const [TOKEN, ACME, SMALL] = ['gateway-token-of-the-test', 'gateway-token-of-acme', 'gateway-token-of-small'];
const getNote = {
  jsonrpc: '2.0',
  id: 7,
  method: 'tools/call',
  params: { name: 'get_note', arguments: { noteId: 'abcd' } },
};

/** The addresses of both. */
async function startGateways(settings: Record<string, unknown> = {}): Promise<readonly [string, string]> {
  const database = await freshDatabase();
  const start = async () => {
    const file = join(await temporaryFolder(), 'quire.yaml');
    const gateway = {
      transport: 'http',
      port: 0,
      multiTenant: true,
      allowPrivateUrls: true,
      tokens: [TOKEN],
    };
    const config = { state: { postgres: database }, gateway: { ...gateway, ...settings } };
    await writeFile(file, JSON.stringify(config));
    return (await startHttp(['trilium', '--config', file])).origin;
  };
  return [await start(), await start()];
}

describeWith(postgresNeed, 'two gateways on one database', () => {
  it('serve one session, for the caller and the Trilium that it was begun with', async () => {
    const [fake, other] = [
      await startTrilium({ notes: [{ id: 'abcd', title: 'Mine' }] }),
      await startTrilium({ notes: [{ id: 'abcd', title: 'Theirs' }] }),
    ];
    const [one, two] = await startGateways();
    const headers = headersFor(fake, TOKEN);
    const id = await openSession(one, headers);
    const call = async (origin: string, own: Record<string, string>) => {
      const answer = await post(origin, getNote, { 'MCP-Session-Id': id, ...own });
      return { status: answer.status, text: await answer.text() };
    };
    for (const origin of [two, one, two]) {
      const { status, text } = await call(origin, headers);
      expect([status, text]).toEqual([200, expect.stringContaining('Mine')]);
    }
    for (const origin of [one, two]) expect((await call(origin, headersFor(other, TOKEN))).status).toBe(404);
    const ended = await fetch(`${two}/mcp`, {
      method: 'DELETE',
      headers: { ...headers, 'MCP-Session-Id': id },
    });
    expect(ended.status).toBe(200);
    for (const origin of [one, two]) expect((await call(origin, headers)).status).toBe(404);

    const elsewhere = await openSession(one, headers);
    const { Authorization } = headers;
    const bare = await post(two, getNote, { Authorization, 'MCP-Session-Id': elsewhere });
    expect([bare.status, await bare.json()]).toMatchObject([401, { error: 'missing_trilium_credentials' }]);
  });

  it('take the messages of streams that the other has open, from their caller alone', async () => {
    const fake = await startTrilium({ notes: [{ id: 'abcd', title: 'Mine' }] });
    const [one, two] = await startGateways();
    const headers = headersFor(fake, TOKEN);
    const stream = await openStream(one, headers);
    await stream.ask(1, 'initialize', INITIALIZE_PARAMS);
    const send = (own: Record<string, string>) => post(two, getNote, own, stream.endpoint);
    expect((await send(headers)).status).toBe(202);
    expect(JSON.stringify(await stream.next())).toContain('Mine');
    expect((await send({})).status).toBe(401);
    expect((await send({ ...headers, 'X-Trilium-Token': 'another' })).status).toBe(404);
  });

  it('count requests and sessions together', async () => {
    const fake = await startTrilium();
    const gateways = await startGateways({
      sessions: 3,
      tenants: { acme: { tokens: [ACME], requestsPerMinute: 4 }, small: { tokens: [SMALL], sessions: 1 } },
    });
    const turns = async (token: string, times: number) => {
      const statuses: number[] = [];
      for (let turn = 0; turn < times; turn++) {
        const answer = await post(gateways[turn % 2] ?? '', INITIALIZE, headersFor(fake, token));
        await answer.text();
        statuses.push(answer.status);
      }
      return statuses.filter((status) => status === 200).length;
    };
    // Each but one may let through one more.
    expect([4, 5]).toContain(await turns(ACME, 10));

    await openStream(gateways[0], headersFor(fake, SMALL));
    for (const origin of gateways)
      expect((await fetch(`${origin}/sse`, { headers: headersFor(fake, SMALL) })).status).toBe(503);
    await openStream(gateways[1], headersFor(fake, TOKEN));

    const limited = await startGateways({ rateLimitRps: 0.1, rateLimitBurst: 6 });
    const answers: number[] = [];
    for (let turn = 0; turn < 14; turn++) {
      const { status } = await fetch(`${limited[turn % 2]}/metrics`, { headers: headersFor(fake, TOKEN) });
      answers.push(status);
    }
    expect([6, 7]).toContain(answers.filter((status) => status !== 429).length);
    expect(answers.slice(-4)).toEqual([429, 429, 429, 429]);
  });
});
