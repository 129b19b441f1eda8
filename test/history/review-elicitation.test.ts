/** The person at the client is asked about a proposal: by a form or a link, in both eras of the protocol. */
import { join } from 'node:path';
import { Client, type ClientCapabilities } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { expect, onTestFinished, test } from 'vitest';
import { BINARY, connected } from '../kit/server.ts';
import { CLEAN_ENVIRONMENT, fileText, putFile, temporaryFolder } from '../kit/temp.ts';
import { reviewedFolder } from './review-kit.ts';

type Reply = { action: 'accept' | 'decline' | 'cancel'; content?: Record<string, string> };
// biome-ignore lint/suspicious/noExplicitAny: forms and links have different fields
type Asked = any;

const PAGE = 'http://127.0.0.1:1/console/review';

async function asking(
  elicitation: ClientCapabilities['elicitation'],
  reply: (asked: Asked) => Promise<Reply>,
) {
  const notes = await reviewedFolder({ 'a.md': 'one\ntwo\n' }, { reviewPage: PAGE });
  const { client, call } = await notes.assistant({ options: { capabilities: { elicitation } } });
  const asked: Asked[] = [];
  client.setRequestHandler('elicitation/create', async ({ params }) => {
    asked.push(params);
    return reply(params);
  });
  return { ...notes, call, asked };
}

const EDIT = { path: 'a.md', oldString: 'two', newString: '2' };

test('a form shows the change; accepted, it is made at once, and the answer says so', async () => {
  const content = { decision: 'accept', comment: 'fine' };
  const { call, asked, text, waiting } = await asking({ form: {} }, async () => ({
    action: 'accept',
    content,
  }));
  const answer = await call('patch_note', EDIT);
  expect(answer.json.success).toBe(true);
  expect(asked[0].message).toMatch(
    /^test 1 wants to change a\.md, in the notebook mine\.\n\nLine 2:\n-two\n\+2$/,
  );
  expect(answer.text).toMatch(
    /Proposal p\w+ was accepted by a person in test 1\. The change is in the notes and in the history\. They say: fine/,
  );
  expect(await text('a.md')).toBe('one\n2\n');
  expect(await waiting()).toEqual([]);
  expect((await call('read_note', { path: 'a.md' })).text).not.toContain('roposal');
});

test('rejected in the form, nothing is changed, and the assistant reads the note as it is', async () => {
  const content = { decision: 'reject' };
  const { call, text } = await asking({}, async () => ({ action: 'accept', content }));
  expect((await call('patch_note', EDIT)).text).toContain('was rejected by a person in test 1');
  expect(await text('a.md')).toBe('one\ntwo\n');
  expect((await call('read_note', { path: 'a.md' })).text).toContain('two');
});

test.each<[string, Reply]>([
  ['declined', { action: 'decline' }],
  ['put aside', { action: 'cancel' }],
  ['sent back empty', { action: 'accept', content: {} }],
  ['filled in wrongly', { action: 'accept', content: { decision: 'yes' } }],
])('a form that is %s leaves the proposal waiting', async (_, reply) => {
  const { call, text, waiting } = await asking({ form: {} }, async () => reply);
  expect((await call('patch_note', EDIT)).text).toContain('waits for review');
  expect(await text('a.md')).toBe('one\ntwo\n');
  expect(await waiting()).toHaveLength(1);
});

test('a long change is for the page: the link is offered, and what is decided there is told at once', async () => {
  const content = `${'line\n'.repeat(60)}`;
  const notes = await asking({ form: {}, url: {} }, async () => {
    setTimeout(() => void notes.decide(), 100);
    return { action: 'accept' };
  });
  const answer = await notes.call('write_note', { path: 'long.md', content });
  const [{ mode, url }] = notes.asked;
  expect([mode, url]).toEqual(['url', expect.stringMatching(/\/console\/review\?id=p\w{16}$/)]);
  expect(answer.text).toContain('was accepted by alex');
  expect(answer.text).not.toContain('waits for review');
  expect(await notes.text('long.md')).toBe(content);
});

test('a client of 2026-07-28 is asked by the answer, and the call that comes again proposes nothing anew', async () => {
  const base = await temporaryFolder();
  await putFile(base, 'notes/a.md', 'one\ntwo\n');
  await putFile(base, 'quire.yaml', `notebooks: { mine: { folder: ${join(base, 'notes')}, review: all } }\n`);
  const client = new Client(
    { name: 'test', version: '1' },
    { versionNegotiation: { mode: 'auto' }, capabilities: { elicitation: { form: {} } } },
  );
  const replies: Reply[] = [{ action: 'accept', content: { decision: 'accept' } }, { action: 'decline' }];
  const asked: string[] = [];
  client.setRequestHandler('elicitation/create', async ({ params }) => {
    asked.push(params.message);
    return replies.shift() ?? { action: 'cancel' };
  });
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [BINARY, '--config', join(base, 'quire.yaml')],
      env: { ...CLEAN_ENVIRONMENT, XDG_STATE_HOME: join(base, 'state') },
    }),
  );
  onTestFinished(() => client.close());
  expect(client.getProtocolEra()).toBe('modern');
  const { call } = connected(client);
  expect((await call('patch_note', EDIT)).text).toContain('was accepted by a person in test 1');
  expect(await fileText(base, 'notes/a.md')).toBe('one\n2\n');
  const declined = await call('write_note', { path: 'b.md', content: 'b\n' });
  expect(declined.text).toContain('waits for review');
  expect(asked).toHaveLength(2);
  // A made-up state neither decides nor proposes.
  const forged = client.request({
    method: 'tools/call',
    params: {
      name: 'patch_note',
      arguments: { path: 'a.md', oldString: 'one', newString: '1' },
      requestState: 'x',
      inputResponses: { review: { action: 'accept', content: { decision: 'accept' } } },
    },
  } as never);
  expect(JSON.stringify(await forged)).toContain('This question is not open any more');
  await expect(fileText(base, 'notes/b.md')).rejects.toThrow();
});
