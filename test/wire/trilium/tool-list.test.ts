import { expect, test } from 'vitest';
import { budgetOf, pinnedTools } from '../../kit/pinned-tools.ts';
import { withTrilium } from './support.ts';

test('all tools are listed within their byte budget, and the instructions are short', async () => {
  const { client } = await withTrilium();
  const list = await client.listTools();
  expect(list.tools).toEqual(pinnedTools('trilium'));
  expect(Buffer.byteLength(JSON.stringify(list))).toBeLessThan(budgetOf('trilium'));
  expect(client.getInstructions()?.length).toBeLessThan(2_490);
});

/** Name, title and hints (read-only, destructive, idempotent). */
const DOCUMENTED = [
  ['search_notes', 'Search notes', 'R'],
  ['get_note_tree', 'Get note tree', 'R'],
  ['get_note', 'Read note', 'R'],
  ['get_note_history', 'Note change history', 'R'],
  ['create_note', 'Create note', ''],
  ['write_note', 'Write note', 'D'],
  ['delete_note', 'Delete or restore note', 'DI'],
  ['get_revisions', 'Get revisions', 'R'],
  ['get_attributes', 'Get attributes', 'R'],
  ['set_attribute', 'Set attribute', ''],
  ['delete_attribute', 'Delete attribute', 'DI'],
  ['get_attachment', 'Read attachment(s)', 'R'],
  ['create_attachment', 'Create attachment', ''],
  ['write_attachment', 'Write attachment', 'D'],
  ['delete_attachment', 'Delete attachment', 'DI'],
  ['get_special_note', 'Get periodic or inbox note', 'I'],
  ['organize_note', 'Organize notes', 'D'],
  ['create_revision', 'Create revision', ''],
  ['manage_system', 'Manage system', ''],
];

test('the list promises the documented effects', async () => {
  const { client } = await withTrilium();
  const { tools } = await client.listTools();
  const marks = tools.map(({ name, annotations }) => [
    name,
    annotations?.title,
    [
      annotations?.readOnlyHint ? 'R' : '',
      annotations?.destructiveHint ? 'D' : '',
      annotations?.idempotentHint ? 'I' : '',
    ].join(''),
  ]);
  expect(marks.filter(([name]) => DOCUMENTED.some(([documented]) => documented === name))).toEqual(
    DOCUMENTED,
  );
  expect(tools.every(({ annotations }) => annotations?.openWorldHint === false)).toBe(true);
});

const REQUIRED = {
  search_notes: ['query'],
  get_note_tree: ['noteId'],
  get_note: ['noteId'],
  create_note: ['parentNoteId', 'title', 'type', 'content'],
  write_note: ['noteId', 'mode'],
  delete_note: ['noteId', 'action'],
  set_attribute: ['noteId', 'type', 'name', 'value'],
  delete_attribute: ['attributeId'],
  create_attachment: ['ownerId', 'role', 'mime', 'title', 'content'],
  write_attachment: ['attachmentId', 'mode'],
  delete_attachment: ['attachmentId'],
  get_special_note: ['kind'],
  organize_note: ['action'],
  create_revision: ['noteId'],
  manage_system: ['action'],
};

test('no more is required than documented', async () => {
  const { client } = await withTrilium();
  const { tools } = await client.listTools();
  const required = tools.flatMap(({ name, inputSchema }) =>
    inputSchema.required?.length ? [[name, inputSchema.required]] : [],
  );
  expect(Object.fromEntries(required)).toMatchObject(REQUIRED);
  const without = DOCUMENTED.map(([name]) => name).filter((name) => !(name! in REQUIRED));
  expect(required.map(([name]) => name).filter((name) => without.includes(name as string))).toEqual([]);
});

test('unknown arguments are ignored', async () => {
  const { ok } = await withTrilium([{ id: 'aaaa', title: 'A' }]);
  const answer = await ok('get_note', { noteId: 'aaaa', include_content: false, verbose: 'very' });
  expect(answer.json).toMatchObject({ noteId: 'aaaa', title: 'A' });
});

test('an unknown tool is named and nothing else', async () => {
  const { call } = await withTrilium();
  const answer = await call('frobnicate');
  expect(answer).toMatchObject({ isError: true, text: 'Unknown tool: frobnicate' });
});
