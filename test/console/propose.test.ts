/** An app that may only propose: its changes wait for the person it acts for, and for nobody else. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { proposalMarks } from '../../src/app/console/review.ts';
import { FULL_SCOPES } from '../../src/shared/principal.ts';
import { reviewedFolder } from '../history/review-kit.ts';
import { connectApp, connectClient, serveConsole, signIn } from '../kit/console.ts';
import { temporaryFolder } from '../kit/temp.ts';

test('a change of an app that may only propose waits for its own person', async () => {
  const folder = await temporaryFolder({ 'a.md': 'one\n' });
  const server = await serveConsole({
    config: { notebooks: { notes: { folder, tools: 'notebook' } } },
    users: ['alex', 'kim', 'root'],
    admins: ['root'],
  });
  const [proposer, writer, reader] = await Promise.all(
    ['notes:read notes:propose', 'notes:read notes:write', 'notes:read'].map(async (scope) => {
      const app = await connectApp(server, 'alex', { name: 'Helper app', scope });
      return { ...app, client: await connectClient(server, { name: 'helper', token: app.token }) };
    }),
  );
  expect(proposer?.scope.split(' ')).toContain('notes:propose');
  expect(proposer?.scope).not.toContain('notes:write');
  const text = () => readFile(join(folder, 'a.md'), 'utf8');
  const write = { name: 'write_note', arguments: { path: 'a.md', content: 'two\n' } };
  await expect(reader?.client.callTool(write)).rejects.toThrow(/notes:write|scope/);
  const id = String((await proposer?.client.callTool(write))?._meta?.['quire/proposal']);
  expect(await text()).toBe('one\n');
  const read = { name: 'read_note', arguments: { path: 'a.md' } };
  expect(JSON.stringify(await proposer?.client.callTool(read))).toMatch(/two.*waits for review/);
  expect(JSON.stringify(await writer?.client.callTool(read))).not.toContain('two');
  // Undoing is no proposal, so it needs the right to write.
  const undo = { name: 'undo_changes', arguments: { dryRun: true } };
  await expect(proposer?.client.callTool(undo)).rejects.toThrow(/notes:write|scope/);

  const [alex, kim, root] = [
    await signIn(server, 'alex'),
    await signIn(server, 'kim'),
    await signIn(server, 'root'),
  ];
  const path = `/console/review?id=${id}`;
  expect([(await kim.get(path)).status, (await kim.get('/console/review')).text.includes('a.md')]).toEqual([
    404,
    false,
  ]);
  const stolen = await kim.post('/console/review', { id, action: 'accept' });
  expect([stolen.status, await text()]).toEqual([404, 'one\n']);
  expect((await root.get(path)).text).toContain('helper 1.0, for alex');
  expect((await alex.post('/console/review', { id, action: 'accept' })).status).toBe(303);
  expect(await text()).toBe('two\n');
});

test('a person who may only propose is told that an admin decides, and offered no more', async () => {
  const folder = await temporaryFolder({ 'a.md': 'one\n' });
  const server = await serveConsole({
    config: { notebooks: { notes: { folder, tools: 'notebook' } } },
    users: ['pro', 'root'],
    admins: ['root'],
    roles: { pro: 'proposer' },
  });
  await connectApp(server, 'pro');
  const [pro, root] = [await signIn(server, 'pro'), await signIn(server, 'root')];
  for (const person of [pro, root]) {
    const { text } = await person.get('/console/apps');
    expect(text).toContain('which wait until an admin accepts them');
    expect(text).toContain('<option value="propose" selected>');
    expect(text).not.toContain('<option value="write"');
    const id = /name="id" value="([^"]+)"/.exec(text)?.[1];
    const more = await person.post('/console/apps', { id, action: 'access', access: 'write' });
    expect(more.status).toBe(400);
  }
  expect((await pro.get('/console/review')).text).toContain('Proposals that wait for an admin');
  expect((await root.get('/console/review')).text).toContain('Proposals that wait for you');
});

test('an app that may only propose cannot accept for its person, by no way of the protocol', async () => {
  const folder = await temporaryFolder({ 'a.md': 'one\n' });
  const server = await serveConsole({
    config: { notebooks: { notes: { folder, tools: 'notebook' } } },
    users: ['alex'],
  });
  const { token } = await connectApp(server, 'alex', { scope: 'notes:read notes:propose' });
  const views = { 'io.modelcontextprotocol/ui': { mimeTypes: ['text/html;profile=mcp-app'] } };
  for (const capabilities of [{ elicitation: { form: {} } }, { extensions: views }])
    for (const mode of ['legacy', 'auto'] as const) {
      const client = await connectClient(server, { token, mode, capabilities });
      if ('elicitation' in capabilities)
        client.setRequestHandler('elicitation/create', async () => ({
          action: 'accept',
          content: { decision: 'accept' },
        }));
      const content = `${mode} ${Object.keys(capabilities)}\n`;
      const write = { name: 'write_note', arguments: { path: 'a.md', content } };
      const { _meta: meta } = await client.callTool(write);
      const id = String(meta?.['quire/proposal']);
      expect(id).toMatch(/^p/);
      const { _meta: listed } = await client.callTool({ name: 'list_proposals', arguments: {} });
      const ticket = /"ticket":"([^"]+)"/.exec(JSON.stringify([meta, listed]))?.[1] ?? '';
      const accept = { id, page: '', ticket, accept: [{ note: 1 }] };
      await expect(client.callTool({ name: 'decide_proposal', arguments: accept })).rejects.toThrow(
        /notes:write|scope/,
      );
      expect(await readFile(join(folder, 'a.md'), 'utf8')).toBe('one\n');
    }
});

test('what others propose is no news for the pages of a person, and for those of an admin it is', async () => {
  const { served, assistant, decide } = await reviewedFolder({ 'a.md': 'one\n' });
  const markOf = proposalMarks(new Map([['mine', served]]));
  const marks = () =>
    Promise.all(
      ['alex', 'kim', 'root'].map((user) => markOf({ user, isAdmin: user === 'root', mayChange: true })),
    );
  const changed = (before: string[], after: string[]) => before.map((mark, at) => mark !== after[at]);
  const principal = { id: 'user:alex', kind: 'user', scopes: FULL_SCOPES } as const;
  const [before, { call }] = [await marks(), await assistant({ principal })];
  await call('write_note', { path: 'b.md', content: 'b\n' });
  const proposed = await marks();
  expect(changed(before, proposed)).toEqual([true, false, true]);
  await decide();
  expect(changed(proposed, await marks())).toEqual([true, false, true]);
});

test('an app that was allowed less while its person was asked does not pass on the decision', async () => {
  const folder = await temporaryFolder({ 'a.md': 'one\n' });
  const server = await serveConsole({
    config: { notebooks: { notes: { folder, tools: 'notebook', review: 'all' } } },
    users: ['alex'],
  });
  const { token } = await connectApp(server, 'alex');
  const alex = await signIn(server, 'alex');
  const client = await connectClient(server, { token, capabilities: { elicitation: { form: {} } } });
  client.setRequestHandler('elicitation/create', async () => {
    const id = /name="id" value="([^"]+)"/.exec((await alex.get('/console/apps')).text)?.[1];
    await alex.post('/console/apps', { id, action: 'access', access: 'propose' });
    return { action: 'accept', content: { decision: 'accept' } };
  });
  const write = { name: 'write_note', arguments: { path: 'a.md', content: 'two\n' } };
  expect(JSON.stringify(await client.callTool(write))).toContain('waits for review');
  expect(await readFile(join(folder, 'a.md'), 'utf8')).toBe('one\n');
});
