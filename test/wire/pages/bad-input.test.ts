import { expect, test } from 'vitest';
import { badlyRefused, type Subject } from '../../kit/bad-input.ts';
import { type InFolder, withPages } from '../../kit/server.ts';
import { snapshot } from '../notebook/support.ts';
import { bodyOf, errorOf, expectCode } from './support.ts';

const SEED = {
  'a.md': 'text\n\n* [ ] task\n',
  'b.md': 'b\n',
  'sub/c.md': 'c\n',
  'p.png': Uint8Array.of(1),
  '_trash/2026-11/t.md': 't',
  '.git/config': 'git\n',
};
const CODES = ['invalid_path', 'invalid_arguments', 'forbidden_path'];

const SUBJECTS: Record<string, Subject> = {
  list_pages: { good: {}, parameters: { include_trash: 'flag', cursor: 'cursor' }, required: [] },
  read_page: { good: { page: 'a' }, parameters: { page: 'notePath' }, required: ['page'] },
  search_pages: {
    good: { query: 'text' },
    parameters: { query: 'query', limit: 'looseLimit', include_trash: 'flag' },
    required: ['query'],
  },
  create_page: {
    good: { page: 'new', body: 'x' },
    parameters: { page: 'notePath', body: 'text' },
    required: ['page', 'body'],
  },
  write_page: {
    good: { page: 'a', body: 'x', expected_last_modified: 1 },
    parameters: { page: 'notePath', body: 'text', expected_last_modified: 'marker' },
    required: ['page', 'body', 'expected_last_modified'],
  },
  append_to_page: {
    good: { page: 'a', content: 'x' },
    parameters: { page: 'notePath', content: 'soughtText' },
    required: ['page', 'content'],
  },
  prepend_to_page: {
    good: { page: 'a', content: 'x' },
    parameters: { page: 'notePath', content: 'soughtText', position: 'mode' },
    required: ['page', 'content'],
  },
  delete_page: { good: { page: 'a' }, parameters: { page: 'notePath' }, required: ['page'] },
  move_page: {
    good: { from: 'a', to: 'new' },
    parameters: { from: 'notePath', to: 'notePath' },
    required: ['from', 'to'],
  },
  edit_page: {
    good: { page: 'a', edits: [{ old_text: 'text', new_text: 'new' }] },
    parameters: { page: 'notePath', edits: 'edits', dry_run: 'flag' },
    required: ['page', 'edits'],
  },
  list_tasks: {
    good: {},
    parameters: { page: 'notePath', due_after: 'day', due_before: 'day', limit: 'looseLimit' },
    required: [],
  },
  check_task: {
    good: { page: 'a', text: 'task' },
    parameters: { page: 'notePath', text: 'oneLine', line: 'looseLine', state: 'taskState' },
    required: ['page', 'text'],
  },
  add_task: {
    good: { page: 'a', text: 'x' },
    parameters: { page: 'notePath', text: 'oneLine', due: 'day', tags: 'tags' },
    required: ['page', 'text'],
  },
  backlinks: {
    good: { page: 'a' },
    parameters: { page: 'notePath', limit: 'looseLimit' },
    required: ['page'],
  },
  rename_page: {
    good: { from: 'a', to: 'new' },
    parameters: { from: 'notePath', to: 'notePath', dry_run: 'flag' },
    required: ['from', 'to'],
  },
  list_attachments: { good: {}, parameters: { cursor: 'cursor' }, required: [] },
  read_attachment: { good: { path: 'p.png' }, parameters: { path: 'notePath' }, required: ['path'] },
  list_trash: { good: {}, parameters: { limit: 'looseLimit' }, required: [] },
  restore_page: {
    good: { page: '_trash/2026-11/t' },
    parameters: { page: 'notePath', to: 'notePath' },
    required: ['page'],
  },
};

async function alive({ call }: Pick<InFolder, 'call'>): Promise<void> {
  expect(bodyOf(await call('read_page', { page: 'b' }))).toBe('b\n');
}

test('every tool and every parameter is in the table', async () => {
  const { client } = await withPages({}, { extended: true });
  const { tools } = await client.listTools();
  expect(Object.keys(SUBJECTS)).toEqual(tools.map(({ name }) => name));
  const left = tools.flatMap(({ name, inputSchema }) =>
    Object.keys(inputSchema.properties ?? {})
      .filter((parameter) => !(parameter in SUBJECTS[name]!.parameters))
      .map((parameter) => `${name}.${parameter}`),
  );
  // Any short text will do for these; what is wrong with others is tested beside the tools.
  expect(left).toEqual(['list_tasks.state', 'list_tasks.tag', 'list_attachments.folder']);
});

test.each(Object.keys(SUBJECTS))(
  '%s refuses every bad value by the name of its parameter and writes nothing',
  async (tool) => {
    const connected = await withPages(SEED, { extended: true });
    const before = await snapshot(connected.folder);
    const wrong = await badlyRefused(tool, SUBJECTS, connected.call, (answer) => {
      if (answer.isError || answer.json?.error === undefined) return { wrong: 'accepted' };
      const { error, message } = errorOf(answer);
      return CODES.includes(error) ? { words: message } : { wrong: `code ${error}` };
    });
    expect(wrong).toEqual([]);
    expect(await snapshot(connected.folder)).toEqual(before);
    await alive(connected);
  },
);

test.each(Object.entries(SUBJECTS))(
  '%s refuses an unknown parameter by name and suggests the right one',
  async (tool, { good, parameters }) => {
    const connected = await withPages(SEED, { extended: true });
    const before = await snapshot(connected.folder);
    for (const parameter of Object.keys(parameters)) {
      const typo = `${parameter.slice(0, -1)}-`;
      const answer = await connected.call(tool, { ...good, [typo]: good[parameter] ?? true });
      const { message, remediation } = expectCode(answer, 'invalid_arguments', { status: 400 });
      const suggested = parameter.length > 2 ? `, did you mean "${parameter}"?` : '';
      expect(message).toContain(`Invalid arguments for ${tool}: unknown parameter "${typo}"${suggested}`);
      expect(remediation).toMatch(new RegExp(`^${tool} takes: `));
    }
    expect(await snapshot(connected.folder)).toEqual(before);
  },
);
