/** The history tools over HTTP: who may undo what, under which names, and what the log says. */
import { join } from 'node:path';
import type { Client } from '@modelcontextprotocol/client';
import { expect, test } from 'vitest';
import { connectHttp, startHttp } from '../../kit/http.ts';
import { pinnedNames } from '../../kit/pinned-tools.ts';
import { answerJson } from '../../kit/server.ts';
import { putFile } from '../../kit/temp.ts';
import { desk } from './support.ts';

const [FIRST, SECOND] = ['first-token-0123456789', 'second-token-0123456789'];

const caller =
  (client: Client) =>
  async (name: string, args: Record<string, unknown> = {}) => {
    const { content, isError } = await client.callTool({ name, arguments: args });
    const text = content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n');
    return { text, isError: isError === true, value: isError ? undefined : answerJson({ content }) };
  };

/** A server of the notes with two logins. */
async function served(history: string) {
  const one = await desk({ 'a.md': 'a\n' });
  const yaml = `notebooks:\n  mine: { folder: notes }\nserve: { port: 0 }\nauth: { mode: bearer, tokens: [${FIRST}, ${SECOND}] }\n${history}`;
  await putFile(one.folder, 'quire.yaml', yaml);
  const server = await startHttp(['serve', '--config', join(one.folder, 'quire.yaml')], one.env);
  const connect = async (token: string) =>
    caller(await connectHttp(server.origin, { token, mode: 'legacy' }));
  return { ...one, server, connect };
}

test('a caller may undo its own changes, and not those of another login', async () => {
  const { connect, text, json, quire, server } = await served('');
  const [first, second] = [await connect(FIRST), await connect(SECOND)];
  await first('write_note', { path: 'a.md', content: 'first\n' });
  await second('write_note', { path: 'b.md', content: 'second\n' });
  const { changes } = (await second('list_changes')).value;
  expect(changes).toMatchObject([
    { notes: [{ path: 'b.md' }], canUndo: true },
    { notes: [{ path: 'a.md' }], canUndo: false },
  ]);
  const refused = await second('undo_changes', { id: changes[1].id });
  expect(refused).toMatchObject({
    isError: true,
    text: expect.stringMatching(/^Error: This change was not made by you/),
  });
  // "All since" means all of one's own.
  expect((await second('undo_changes', { since: '1h' })).value.undone).toEqual([changes[0].id]);
  expect(await text('a.md')).toBe('first\n');

  const recorded = (await json('history')).changes;
  expect(recorded.map(({ tool }: { tool: string }) => tool)).toEqual(['undo', 'write_note', 'write_note']);
  expect(recorded[0].by.principal).toBe(recorded[1].by.principal);
  expect(recorded[0].by.principal).not.toBe(recorded[2].by.principal);
  // The audit line of a change names it.
  const audited = server.log().filter(({ msg, message }) => (msg ?? message) === 'audit');
  expect(audited.map(({ change }) => change)).toEqual(
    expect.arrayContaining(recorded.map(({ id }: { id: string }) => id)),
  );

  // Each session over HTTP is known by a label of its own.
  const { session } = recorded[2].by;
  expect(session).toMatch(/^[0-9a-f]{12}$/);
  expect(session).not.toBe(recorded[1].by.session);
  expect((await quire('undo', '--session', session)).stdout).toContain('restored: a.md');
  expect(await text('a.md')).toBe('a\n');
});

test('with undoOthers it may', async () => {
  const { connect, text } = await served('history: { undoOthers: true }\n');
  await (await connect(FIRST))('write_note', { path: 'a.md', content: 'first\n' });
  const second = await connect(SECOND);
  const [{ id, canUndo }] = (await second('list_changes')).value.changes;
  expect(canUndo).toBe(true);
  expect((await second('undo_changes', { id })).isError).toBe(false);
  expect(await text('a.md')).toBe('a\n');
});

test('several notebooks have them each under its name, and errors in the words of its surface', async () => {
  const { folder, env } = await desk({ 'a.md': 'a\n' });
  const yaml =
    'notebooks:\n  one: { folder: notes }\n  two: { folder: notes, tools: vault }\n  three: { folder: notes, toolSets: [notebook] }\nserve: { port: 0 }\n';
  await putFile(folder, 'quire.yaml', yaml);
  const { origin } = await startHttp(['serve', '--config', join(folder, 'quire.yaml')], env);
  const client = await connectHttp(origin);
  const names = (await client.listTools()).tools.map(({ name }) => name);
  for (const tool of pinnedNames('history')) {
    expect(names).toContain(`one_${tool}`);
    expect(names).toContain(`two_${tool}`);
    expect(names).not.toContain(`three_${tool}`);
  }
  const call = caller(client);
  await call('one_write_note', { path: 'a.md', content: 'b\n' });
  // Both serve the same folder, and so share its history.
  const [{ id }] = (await call('two_list_changes')).value.changes;
  expect((await call('two_undo_changes', { id: 'x' })).text).toMatch(
    /^\{"error":\{"code":"INVALID_ARGUMENT"/,
  );
  expect((await call('two_undo_changes', { id })).isError).toBe(false);
});

test('the second brain alone has them when asked', async () => {
  const { notes, env } = await desk({ 'a.md': 'a\n' });
  const start = async (...flags: string[]) => {
    const { origin } = await startHttp(['brain', notes, '--transport', 'http', '--port', '0', ...flags], env);
    return (await (await connectHttp(origin)).listTools()).tools.map(({ name }) => name);
  };
  expect(await start('--tools', 'all')).toEqual(
    expect.arrayContaining(['sb_ask', ...pinnedNames('history')]),
  );
  expect(await start()).not.toContain('list_changes');
});
