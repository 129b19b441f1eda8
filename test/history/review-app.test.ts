/** The view of the MCP App, by what a host sends and a model could send; in a browser: test/long/review-app.test.ts. */
import type { Client } from '@modelcontextprotocol/client';
import { expect, test } from 'vitest';
import { answerJson } from '../kit/server.ts';
import { reviewedFolder, type Seat } from './review-kit.ts';

const VIEW = 'ui://quire/changes';
const APPS: Seat = {
  options: {
    capabilities: {
      extensions: { 'io.modelcontextprotocol/ui': { mimeTypes: ['text/html;profile=mcp-app'] } },
    },
  },
};
const PLAN = '# Plan\n\none\n\ntwo\n\nthree\n\nfour\n';

async function reviewed() {
  const notes = await reviewedFolder({ 'plan.md': PLAN }, { toolSets: ['history'] });
  const host = await notes.assistant(APPS);
  await host.call('read_note', { path: 'plan.md' });
  const content = PLAN.replace('one', '1').replace('four', '4');
  await host.call('write_note', { path: 'plan.md', content });
  const raw = (name: string, args: Record<string, unknown>) =>
    host.client.callTool({ name, arguments: args });
  const pageKeyOf = async (client: Client) => {
    const { contents } = await client.readResource({ uri: VIEW });
    return /data-page="([\w-]+)"/.exec((contents[0] as { text: string }).text)?.[1] ?? '';
  };
  const pageKey = () => pageKeyOf(host.client);
  const shown = async () => {
    const result = await raw('list_proposals', {});
    const { proposals } = answerJson(result);
    const { tickets = {} } = (result._meta?.['quire/view'] ?? {}) as { tickets?: Record<string, string> };
    const { id } = proposals[0]!;
    return { id, ticket: tickets[id] ?? '', result };
  };
  return { ...notes, host, raw, pageKey, pageKeyOf, shown };
}

test('a host with apps is told of the view; others are offered neither it nor the tool behind its buttons', async () => {
  const { host, assistant } = await reviewed();
  const { tools } = await host.client.listTools();
  const viewed = tools.filter(({ _meta }) => _meta?.ui).map(({ name }) => name);
  expect(viewed).toEqual(
    expect.arrayContaining(['list_changes', 'undo_changes', 'list_proposals', 'write_note']),
  );
  expect(viewed).not.toContain('read_note');
  expect(tools.find(({ name }) => name === 'decide_proposal')?._meta).toEqual({
    ui: { resourceUri: VIEW, visibility: ['app'] },
  });
  const { contents } = await host.client.readResource({ uri: VIEW });
  expect(contents[0]).toMatchObject({ mimeType: 'text/html;profile=mcp-app', _meta: { ui: { csp: {} } } });
  const { text: page } = contents[0] as { text: string };
  expect(page).toMatch(/^<!doctype html>/);
  expect(page.match(/(?:src|href)=/g)).toBeNull();
  expect(page.length).toBeLessThan(20_000);

  const plain = await assistant();
  const offered = (await plain.client.listTools()).tools;
  expect(offered.every(({ _meta }) => _meta === undefined)).toBe(true);
  expect(offered.map(({ name }) => name)).not.toContain('decide_proposal');
  const listed = await plain.client.callTool({ name: 'list_proposals', arguments: {} });
  expect(listed._meta?.['quire/view']).toBeUndefined();
  await expect(plain.call('decide_proposl')).rejects.not.toThrow('decide_proposal');
});

test('what the model is shown has neither half of the proof', async () => {
  const { shown, pageKey } = await reviewed();
  const { ticket, result } = await shown();
  const page = await pageKey();
  expect(ticket).toMatch(/^[\w-]{24}\.\d+\.[\w-]{43}$/);
  const { _meta, ...forModel } = result;
  expect(JSON.stringify(forModel)).not.toContain(ticket);
  expect(JSON.stringify(result)).not.toContain(page);
});

test('without both values, with a used one or that of another, the tool refuses', async () => {
  const { shown, pageKey, host, assistant, text, raw } = await reviewed();
  const page = await pageKey();
  const { id, ticket } = await shown();
  const accept = [{ note: 1 }];
  const refused = async (args: Record<string, unknown>, by = host) => {
    const answer = await by.call('decide_proposal', { id, accept, ...args });
    expect(answer).toMatchObject({ isError: true });
    expect(answer.text).toContain('Only a person can decide');
    expect(await text('plan.md')).toBe(PLAN);
  };
  await refused({});
  await refused({ ticket });
  // Used up by the attempt.
  await refused({ page, ticket });
  await refused({ page, ticket: 'x'.repeat(24) });
  await refused({ page });
  await refused({ page: 'wrong', ticket: (await shown()).ticket });
  // A client without apps, which calls the tool directly.
  await refused({ page, ticket: '' }, await assistant());
  // Another login.
  const other = await assistant({ principal: { id: 'user:eve', kind: 'user', scopes: ['notes:write'] } });
  await refused({ page, ticket: (await shown()).ticket }, other);

  const fresh = (await shown()).ticket;
  const parts = [{ note: 1, parts: [2] }];
  const done = await raw('decide_proposal', { id, page, ticket: fresh, accept: parts, comment: 'half' });
  expect(answerJson(done)).toMatchObject({ proposal: { state: 'accepted in part' } });
  expect(await text('plan.md')).toBe(PLAN.replace('four', '4'));
  await host.call('decide_proposal', { id, page, ticket: fresh, accept });
  expect(await text('plan.md')).toBe(PLAN.replace('four', '4'));
  expect((await host.call('read_note', { path: 'plan.md' })).text).toContain(
    'accepted in part by a person in test 1, who says: half',
  );
});

test('a conflict is named to the view, and the next ticket works', async () => {
  const { shown, pageKey, put, host, text } = await reviewed();
  const page = await pageKey();
  const { id, ticket } = await shown();
  await put('plan.md', PLAN.replace('one', 'eins'));
  const conflict = await host.call('decide_proposal', { id, page, ticket, accept: [{ note: 1 }] });
  expect(conflict.text).toContain('It was changed since, in the same lines.');
  const next = (await shown()).ticket;
  expect((await host.call('decide_proposal', { id, page, ticket: next, reject: [1] })).isError).toBe(false);
  expect(await text('plan.md')).toBe(PLAN.replace('one', 'eins'));
});

test('an app that may only propose decides nothing, whatever its views and forms say', async () => {
  const { assistant, text, pageKeyOf } = await reviewed();
  const scopes = ['notes:read', 'notes:propose'] as const;
  const principal = { id: 'user:alex', kind: 'user', scopes } as const;
  const capabilities = { ...APPS.options?.capabilities, elicitation: {} };
  const { client, call } = await assistant({ principal, session: 's9', options: { capabilities } });
  let asked = 0;
  client.setRequestHandler('elicitation/create', async () => {
    asked++;
    return { action: 'accept', content: { decision: 'accept' } };
  });
  expect((await call('write_note', { path: 'mine.md', content: 'x\n' })).text).toContain('waits for review');
  expect(asked).toBe(0);
  const shown = await client.callTool({ name: 'list_proposals', arguments: {} });
  const { proposals } = answerJson(shown);
  expect(proposals).toHaveLength(1);
  expect(shown._meta?.['quire/view']).toEqual({ tickets: {} });
  const [{ id }] = proposals as [{ id: string }];
  const page = await pageKeyOf(client);
  const decided = await call('decide_proposal', { id, page, ticket: 'x'.repeat(24), accept: [{ note: 1 }] });
  expect(decided.text).toContain('Only a person can decide');
  await expect(text('mine.md')).rejects.toThrow();
});
