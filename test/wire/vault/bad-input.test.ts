import { expect, test } from 'vitest';
import { badlyRefused, type Subject } from '../../kit/bad-input.ts';
import { type InFolder, withVault } from '../../kit/server.ts';
import { snapshot } from '../notebook/support.ts';
import { errorOf, expectCode, hintOf } from './support.ts';

const SEED = { 'a.md': 'text\n', 'b.md': 'b\n', 'sub/c.md': 'c\n', '.git/config': 'git\n' };
const CODES = ['INVALID_ARGUMENT', 'PATH_NOT_ALLOWED', 'FILE_NOT_FOUND', 'INVALID_RANGE'];

const SUBJECTS: Record<string, Subject> = {
  vault_list_all: { good: {}, parameters: { cursor: 'cursor' }, required: [] },
  vault_list: {
    good: { path: 'sub' },
    parameters: { path: 'folderPath', cursor: 'cursor' },
    required: [],
  },
  vault_read: {
    good: { path: 'a.md' },
    parameters: { path: 'notePath', offset: 'line', limit: 'line', column: 'line' },
    required: ['path'],
  },
  vault_search: {
    good: { query: 'text' },
    parameters: { query: 'query', max_results: 'limit' },
    required: ['query'],
  },
  vault_write: {
    good: { path: 'a.md', content: 'new' },
    parameters: { path: 'notePath', content: 'text', create_dirs: 'boolean' },
    required: ['path', 'content'],
  },
  vault_edit: {
    good: { path: 'a.md', old_text: 'text', new_text: 'new' },
    parameters: { path: 'notePath', old_text: 'soughtText', new_text: 'text' },
    required: ['path', 'old_text', 'new_text'],
  },
};

async function alive({ call }: Pick<InFolder, 'call'>): Promise<void> {
  expect((await call('vault_read', { path: 'b.md' })).json.content).toBe('b\n');
}

test.each(Object.keys(SUBJECTS))(
  '%s refuses every bad value by the name of its parameter and writes nothing',
  async (tool) => {
    const connected = await withVault(SEED);
    const before = await snapshot(connected.folder);
    const wrong = await badlyRefused(tool, SUBJECTS, connected.call, (answer) => {
      if (!answer.isError) return { wrong: 'accepted' };
      const { code, message } = errorOf(answer);
      return CODES.includes(code) ? { words: message } : { wrong: `code ${code}` };
    });
    expect(wrong).toEqual([]);
    expect(await snapshot(connected.folder)).toEqual(before);
    await alive(connected);
  },
);

test.each(Object.entries(SUBJECTS))(
  '%s refuses an unknown parameter by name and suggests the right one',
  async (tool, { good, parameters }) => {
    const connected = await withVault(SEED);
    const before = await snapshot(connected.folder);
    for (const parameter of Object.keys(parameters)) {
      const typo = `${parameter.slice(0, -1)}-`;
      const answer = await connected.call(tool, { ...good, [typo]: good[parameter] ?? true });
      const named = `unknown parameter "${typo}", did you mean "${parameter}"?`;
      expectCode(answer, 'INVALID_ARGUMENT', `Invalid arguments for ${tool}: ${named}`);
    }
    const odd = await connected.call(tool, { ...good, prettyPrint: true, constructor: 2 });
    expectCode(odd, 'INVALID_ARGUMENT', /unknown parameter "prettyPrint".*unknown parameter "constructor"/);
    expect(hintOf(odd)).toMatch(new RegExp(`^${tool} takes: `));
    expect(await snapshot(connected.folder)).toEqual(before);
  },
);

test('an unknown tool is a protocol error that suggests a known one', async () => {
  const { client } = await withVault(SEED);
  await expect(client.callTool({ name: 'vault_reed', arguments: {} })).rejects.toMatchObject({
    code: -32602,
    message: expect.stringContaining('vault_read'),
  });
});

test('a folder for a name that cannot be is not made', async () => {
  const connected = await withVault(SEED);
  const before = await snapshot(connected.folder);
  for (const path of ['new/con.md', 'new/aux/x.md', 'new/deep/a:b.md', 'new/dot./x.md', 'b.md/x.md'])
    errorOf(await connected.call('vault_write', { path, content: 'x' }));
  expect(await snapshot(connected.folder)).toEqual(before);
});
