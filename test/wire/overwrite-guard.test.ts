/** Text that a session has not seen is not replaced: real processes, real files, a person who writes in between. */
import { appendFile, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { describe, expect, onTestFinished, test } from 'vitest';
import { historyIn, openFolder, undoing } from '../history/kit.ts';
import { startHttp } from '../kit/http.ts';
import { type Answer, startBinary, startProgram, startVault, type ToolClient } from '../kit/server.ts';
import { fileText, temporaryFolder } from '../kit/temp.ts';

const NOTE = '---\nstatus: draft\n---\n# Plan\n\nfirst line\n';
const PERSON = 'a line that a person wrote\n';

async function served(flags: readonly string[] = []) {
  const folder = await temporaryFolder({ 'plan.md': NOTE, 'other.md': 'other\n', 'third.md': 'third\n' });
  const state = await temporaryFolder();
  const server = await startBinary(folder, flags, { env: { XDG_STATE_HOME: state } });
  return { folder, ...server, person: () => appendFile(join(folder, 'plan.md'), PERSON) };
}

/** A configuration file with one notebook, over stdio. */
async function servedWith(settings: string) {
  const folder = await temporaryFolder({ 'notes/plan.md': NOTE, 'notes/other.md': 'other\n' });
  const file = join(folder, 'quire.yaml');
  await writeFile(
    file,
    `notebooks:\n  notes: { folder: ./notes, ${settings} }\nstate: { dir: ${join(folder, 'state')} }\n`,
  );
  const server = await startProgram(['notebook', '--config', file]);
  const notes = join(folder, 'notes');
  return { folder: notes, ...server, person: () => appendFile(join(notes, 'plan.md'), PERSON) };
}

type ToolCall = readonly [string, Record<string, unknown>];

const read = (path = 'plan.md'): ToolCall => ['read_note', { path }] as const;
const write = (path = 'plan.md'): ToolCall => ['write_note', { path, content: 'all new\n' }] as const;
const replace: ToolCall = [
  'update_frontmatter',
  { path: 'plan.md', frontmatter: { a: 1 }, merge: false },
] as const;
const remove: ToolCall = ['delete_note', { path: 'plan.md', confirmPath: 'plan.md' }] as const;
const moveOver: ToolCall = [
  'move_note',
  { oldPath: 'other.md', newPath: 'plan.md', overwrite: true },
] as const;

function expectRefused({ isError, text }: Answer): void {
  expect(isError, text).toBe(true);
  expect(text).toContain('changed since you read it');
  expect(text).toContain('outside Quire');
  expect(text).toContain(PERSON.trim());
  expect(text).toMatch(/[Rr]ead it again/);
}

function expectDone({ isError, text }: Answer): void {
  expect(isError, text).toBe(false);
}

describe('quire <folder>', () => {
  test('a note that a person changed after it was read is not overwritten, deleted or replaced', async () => {
    const { call, person, folder } = await served();
    await call(...read());
    await person();
    for (const refused of [write(), replace, remove, moveOver]) expectRefused(await call(...refused));
    expect(await fileText(folder, 'plan.md')).toBe(NOTE + PERSON);
    expect(await fileText(folder, 'other.md')).toBe('other\n');
    // The next step that the message names.
    expect((await call(...read())).text).toContain(PERSON.trim());
    expectDone(await call(...write()));
    expect(await fileText(folder, 'plan.md')).toBe('all new\n');
  });

  test('what computes on the present text is not refused, and shows nothing of it', async () => {
    const { call, person, folder } = await served();
    const calls: readonly ToolCall[] = [
      ['patch_note', { path: 'plan.md', oldString: 'first', newString: 'FIRST' }],
      ['write_note', { path: 'plan.md', content: 'more', mode: 'append' }],
      ['write_note', { path: 'plan.md', content: 'more', mode: 'prepend' }],
      ['manage_tags', { path: 'plan.md', operation: 'add', tags: ['t'] }],
      ['update_frontmatter', { path: 'plan.md', frontmatter: { a: 1 } }],
      ['move_note', { oldPath: 'plan.md', newPath: 'moved.md' }],
    ];
    for (const [tool, args] of calls) {
      await writeFile(join(folder, 'plan.md'), NOTE);
      await call(...read());
      await person();
      expectDone(await call(tool, args));
      const path = tool === 'move_note' ? 'moved.md' : 'plan.md';
      expect(await fileText(folder, path)).toContain(PERSON);
      expect((await call(...write(path))).isError).toBe(true);
      expect(await fileText(folder, path)).toContain(PERSON);
    }
  });

  test('nothing is refused in a quiet folder', async () => {
    const { call, folder, person } = await served();
    // Never read by this session.
    await person();
    expectDone(await call(...write()));
    // Own writes in a row, of every kind.
    expectDone(await call(...write()));
    expectDone(await call('patch_note', { path: 'plan.md', oldString: 'all', newString: 'ALL' }));
    expectDone(await call('manage_tags', { path: 'plan.md', operation: 'add', tags: ['t'] }));
    expectDone(await call(...replace));
    expectDone(await call(...write()));
    // Its own move, then a write there; its own move over another note, then a write there.
    expectDone(await call('move_note', { oldPath: 'plan.md', newPath: 'x/plan.md' }));
    expectDone(await call(...write('x/plan.md')));
    await call(...read('third.md'));
    expectDone(await call('move_note', { oldPath: 'other.md', newPath: 'third.md', overwrite: true }));
    expectDone(await call(...write('third.md')));
    // Deleted, made anew and deleted again.
    for (const path of ['third.md', 'x/plan.md']) {
      expectDone(await call('delete_note', { path, confirmPath: path }));
      expectDone(await call(...write(path)));
      expectDone(await call('delete_note', { path, confirmPath: path }));
    }
    expect(await fileText(folder, '.trash/third.md')).toBe('third\n');
  });

  test('a look at a part of the note does not stand for having read it anew', async () => {
    const glimpses: readonly ToolCall[] = [
      ['get_frontmatter', { path: 'plan.md' }],
      ['read_multiple_notes', { paths: ['plan.md'], includeContent: false }],
      ['read_note', { path: 'plan.md', offset: 5 }],
      ['get_notes_info', { paths: ['plan.md'] }],
      ['search_notes', { query: 'person' }],
    ];
    const { call, person } = await served();
    for (const glimpse of glimpses) {
      await call(...read());
      await person();
      await call(...glimpse);
      expectRefused(await call(...write()));
      await call('read_multiple_notes', { paths: ['plan.md'] });
      expectDone(await call(...write()));
    }
  });

  test('a note that was deleted or moved meanwhile is not made anew before the session knows', async () => {
    const { call, folder } = await served();
    await call(...read());
    await rename(join(folder, 'plan.md'), join(folder, 'elsewhere.md'));
    const refused = await call(...write());
    expect(refused.isError).toBe(true);
    expect(refused.text).toContain('deleted or moved since you read it');
    expect(await readFile(join(folder, 'plan.md')).catch(() => 'none')).toBe('none');
    expectDone(await call(...write()));
    await rm(join(folder, 'other.md'));
    expect((await call('delete_note', { path: 'other.md', confirmPath: 'other.md' })).text).toContain(
      'not found',
    );
  });

  test('the version of a read can be given back with a write', async () => {
    const { call, person } = await served();
    expect((await call('write_note', { ...write()[1], expectedVersion: 'no such version' })).text).toContain(
      'changed since you read it',
    );
    await person();
    for (const [tool, args] of [replace, remove, moveOver])
      expect((await call(tool, { ...args, expectedVersion: 'another' })).isError).toBe(true);
  });
});

describe('overwrite: seen | free', () => {
  test('seen refuses notes that the session never read, and new ones it does not', async () => {
    const { call, folder } = await servedWith('overwrite: seen');
    for (const refused of [write(), replace, remove, moveOver]) {
      const { isError, text } = await call(...refused);
      expect([isError, text]).toEqual([true, expect.stringContaining('not read in this session')]);
    }
    expect(await fileText(folder, 'plan.md')).toBe(NOTE);
    expectDone(await call(...write('new.md')));
    expectDone(await call(...write('new.md')));
    await call(...read());
    expectDone(await call(...write()));
    expectDone(await call(...remove));
  });

  test('free refuses nothing, and undoing the last change brings back every byte', async () => {
    const { call, person, folder } = await servedWith('overwrite: free');
    await call(...read());
    await person();
    expectDone(await call(...write()));
    expect(await fileText(folder, 'plan.md')).toBe('all new\n');
    // Beside the running server.
    const kept = join(folder, '../state/history');
    const history = historyIn(join(kept, (await readdir(kept))[0] ?? ''));
    await undoing(history, await openFolder(folder), await history.list({}, 1));
    expect(await fileText(folder, 'plan.md')).toBe(NOTE + PERSON);
    expectDone(await call(...remove));
  });
});

describe('quire vault', () => {
  test('a file that a person changed after it was read is not overwritten', async () => {
    const folder = await temporaryFolder({ 'plan.md': NOTE });
    const { call } = await startVault(folder, [], { env: { XDG_STATE_HOME: await temporaryFolder() } });
    const overwrite = ['vault_write', { path: 'plan.md', content: 'all new\n' }] as const;
    await call('vault_read', { path: 'plan.md' });
    await appendFile(join(folder, 'plan.md'), PERSON);
    for (let n = 0; n < 2; n++) {
      const refused = await call(...overwrite);
      expectRefused(refused);
      expect(JSON.parse(String(refused.content[0]?.text))).toMatchObject({ error: { code: 'CONFLICT' } });
      await call('vault_read', { path: 'plan.md', offset: 3 });
    }
    expect(await fileText(folder, 'plan.md')).toBe(NOTE + PERSON);
    const edit = { path: 'plan.md', old_text: 'first', new_text: 'FIRST' };
    expectDone(await call('vault_edit', edit));
    expect((await call(...overwrite)).isError).toBe(true);
    await call('vault_read', { path: 'plan.md' });
    expectDone(await call(...overwrite));
    expectDone(await call(...overwrite));
    expectDone(await call('vault_write', { path: 'new.md', content: 'new' }));
  });
});

/** Pages over HTTP, where sessions have names. */
async function servedPages() {
  const folder = await temporaryFolder({ 'notes/plan.md': NOTE, 'notes/other.md': 'other\n' });
  const file = join(folder, 'quire.yaml');
  await writeFile(
    file,
    'notebooks:\n  notes: { folder: ./notes, tools: pages, extended: true }\nserve: { port: 0 }\n',
  );
  const { origin } = await startHttp(['serve', '--config', file]);
  return { notes: join(folder, 'notes'), origin };
}

async function connect(
  origin: string,
  name: string,
  { mode = 'legacy', token }: { mode?: 'legacy' | 'auto'; token?: string } = {},
): Promise<ToolClient & { meta: () => Record<string, unknown> | undefined }> {
  const transport = new StreamableHTTPClientTransport(new URL('/mcp', origin), {
    ...(token !== undefined && { requestInit: { headers: { Authorization: `Bearer ${token}` } } }),
  });
  const client = new Client({ name, version: '2' }, { versionNegotiation: { mode } });
  await client.connect(transport);
  onTestFinished(() => client.close());
  let meta: Record<string, unknown> | undefined;
  const call: ToolClient['call'] = async (tool, args = {}) => {
    const result = await client.callTool({ name: tool, arguments: args });
    meta = result._meta as typeof meta;
    const text = result.content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n');
    return { text, json: undefined, isError: result.isError === true, content: [] };
  };
  return { client, call, meta: () => meta };
}

describe('pages', () => {
  test('a page that a person changed after it was read is neither overwritten nor deleted', async () => {
    const { notes, origin } = await servedPages();
    const { call } = await connect(origin, 'Editor');
    const shown = JSON.parse((await call('read_page', { page: 'plan' })).text.split('\n')[0]!);
    await appendFile(join(notes, 'plan.md'), PERSON);
    const wrong = await call('write_page', {
      page: 'plan',
      body: 'all new\n',
      expected_last_modified: shown.lastModified,
    });
    expect(JSON.parse(wrong.text)).toMatchObject({ error: 'conflict', status: 409 });
    const refused = await call('delete_page', { page: 'plan' });
    const { error, status, message, path, remediation } = JSON.parse(refused.text);
    expect({ error, status, path }).toEqual({ error: 'conflict', status: 409, path: 'plan.md' });
    expect(message).toBe('Conflict on plan.md: the page changed since you read it.');
    expect(remediation).toContain('outside Quire');
    expect(remediation).toContain(PERSON.trim());
    expect(refused.isError).toBe(false);
    expect(await fileText(notes, 'plan.md')).toBe(NOTE + PERSON);
    // Adding to it, editing a part of it and renaming it are not refused.
    for (const [tool, args] of [
      ['append_to_page', { page: 'plan', content: 'more' }],
      ['edit_page', { page: 'plan', edits: [{ old_text: 'first', new_text: 'FIRST' }] }],
      ['move_page', { from: 'plan', to: 'moved' }],
      ['rename_page', { from: 'moved', to: 'plan' }],
    ] as const)
      expect(JSON.parse((await call(tool, args)).text).error).toBeUndefined();
    expect(JSON.parse((await call('delete_page', { page: 'plan' })).text).error).toBe('conflict');
    await call('read_page', { page: 'plan' });
    for (const page of ['plan', 'other'])
      expect(JSON.parse((await call('delete_page', { page })).text)).toMatchObject({ deleted: true });
    expect(JSON.parse((await call('delete_page', { page: 'plan' })).text)).toMatchObject({
      deduplicated: true,
    });
    expect(JSON.parse((await call('restore_page', { page: 'plan' })).text)).toMatchObject({ restored: true });
  });
});

async function serveFolder(auth = '') {
  const folder = await temporaryFolder({ 'notes/plan.md': NOTE, 'notes/other.md': 'other\n' });
  const file = join(folder, 'quire.yaml');
  await writeFile(file, `notebooks:\n  notes: { folder: ./notes }\nserve: { port: 0 }\n${auth}`);
  const { origin } = await startHttp(['serve', '--config', file]);
  return { notes: join(folder, 'notes'), origin };
}

describe('several clients over HTTP', () => {
  test('a conflict names the client that came first, and sessions do not answer for each other', async () => {
    const { origin, notes } = await serveFolder();
    const [one, other] = [await connect(origin, 'Editor One'), await connect(origin, 'Writer Two')];
    await one.call(...read());
    await other.call(...read());
    expectDone(await one.call(...write()));
    const refused = await other.call('write_note', { path: 'plan.md', content: 'of two\n' });
    expect(refused.isError).toBe(true);
    expect(refused.text).toContain('another client of Quire, Editor One 2');
    expect(refused.text).toContain('+ all new');
    expect(await fileText(notes, 'plan.md')).toBe('all new\n');
    expectDone(await one.call(...write()));
    await other.call(...read());
    expectDone(await other.call(...write()));
    // A third session has not read anything.
    expectDone(await (await connect(origin, 'Third')).call(...write()));
  });

  test('a client without sessions gets the version with a read, and gives it back with a write', async () => {
    const { origin, notes } = await serveFolder();
    const { call, client, meta } = await connect(origin, 'Modern', { mode: 'auto' });
    expect(client.getProtocolEra()).toBe('modern');
    await call(...read());
    const version = meta()?.['quire/version'];
    expect(version).toEqual(expect.stringMatching(/^\S{10,}$/));
    await appendFile(join(notes, 'plan.md'), PERSON);
    for (const [tool, args] of [write(), replace, remove, moveOver]) {
      const refused = await call(tool, { ...args, expectedVersion: version });
      expect(refused.isError).toBe(true);
      expect(refused.text).toContain('outside Quire');
    }
    expect(await fileText(notes, 'plan.md')).toBe(NOTE + PERSON);
    await call(...read());
    expectDone(await call('write_note', { ...write()[1], expectedVersion: meta()?.['quire/version'] }));
    // It is not known who calls without a version, so nothing is remembered.
    await appendFile(join(notes, 'plan.md'), PERSON);
    expectDone(await call(...write()));
    const legacy = await connect(origin, 'Legacy');
    await legacy.call(...read());
    expect(legacy.meta()?.['quire/version']).toBeUndefined();
  });

  test('where the caller is known, what it read is remembered, for each of its clients', async () => {
    const tokens = ['first-token-of-a-person', 'second-token-of-another'];
    const { origin, notes } = await serveFolder(`auth: { mode: bearer, tokens: [${tokens.join(', ')}] }\n`);
    const as = (name: string, token = tokens[0]) => connect(origin, name, { mode: 'auto', token });
    const [one, same, otherProgram, otherPerson] = [
      await as('Modern'),
      await as('Modern'),
      await as('Other program'),
      await as('Modern', tokens[1]),
    ];
    await one.call(...read());
    await appendFile(join(notes, 'plan.md'), PERSON);
    expectRefused(await one.call(...write()));
    expectRefused(await same.call(...write()));
    expectDone(await otherProgram.call('write_note', { path: 'plan.md', content: `${NOTE}${PERSON}x` }));
    expectDone(await otherPerson.call('write_note', { path: 'plan.md', content: 'of another person\n' }));
    const refused = await one.call(...write());
    expect(refused.text).toContain('another client of Quire, Modern 2');
    await same.call(...read());
    expectDone(await one.call(...write()));
  });
});
