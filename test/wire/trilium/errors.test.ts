import { expect, test } from 'vitest';
import type { ToolCallRecord } from '../../../src/mcp/tool.ts';
import type { Fate } from '../../kit/trilium/trilium.ts';
import { errorOf, withTrilium } from './support.ts';

const NOTES = [
  { id: 'abcd', title: 'A', content: '<p>one two one</p>' },
  { id: 'lock', title: 'L', isProtected: true },
];

test.each<[string, Record<string, unknown>, string, RegExp]>([
  ['get_note', { noteId: 'none1' }, '404 (NOTE_NOT_FOUND)', /search_notes/],
  ['get_note', { noteId: 'lock' }, '400 (NOTE_IS_PROTECTED)', /inside Trilium/],
  [
    'write_note',
    { noteId: 'lock', mode: 'append', content: 'x' },
    '400 (NOTE_IS_PROTECTED)',
    /inside Trilium/,
  ],
  [
    'write_note',
    { noteId: 'lock', mode: 'metadata', title: 'x' },
    '400 (NOTE_IS_PROTECTED)',
    /inside Trilium/,
  ],
  ['organize_note', { action: 'unlink', branchId: 'x_y' }, '404 (BRANCH_NOT_FOUND)', /branch/],
  ['delete_attribute', { attributeId: 'none1' }, '404 (ATTRIBUTE_NOT_FOUND)', /get_attributes/],
  ['get_attachment', { attachmentId: 'none1' }, '404 (ATTACHMENT_NOT_FOUND)', /get_attachment/],
  ['get_revisions', { revisionId: 'none1' }, '404 (REVISION_NOT_FOUND)', /get_revisions/],
  ['get_special_note', { kind: 'week' }, '404 (WEEK_NOT_FOUND)', /enableWeekNote/],
  ['delete_note', { noteId: 'abcd', action: 'undelete' }, '400 (NOTE_NOT_DELETED)', /nothing to bring back/],
  ['delete_note', { noteId: 'root', action: 'delete' }, '403 (FORBIDDEN)', /root/],
  ['organize_note', { action: 'unlink', branchId: 'root_abcd' }, '409 (CONFLICT)', /delete_note/],
  [
    'write_note',
    { noteId: 'abcd', mode: 'replace', content: 'x', expected_blob_id: 'other' },
    '409 (CONFLICT)',
    /Read it again/,
  ],
])('%s %j is answered with %s and a next step', async (tool, args, status, suggestion) => {
  const { call } = await withTrilium(NOTES);
  const error = errorOf(await call(tool, args));
  expect(error.status).toBe(status);
  expect(error.suggestion).toMatch(suggestion);
});

test.each<[string, Record<string, unknown>, RegExp]>([
  [
    'a text that is not there',
    { changes: [{ old_string: 'three', new_string: '' }] },
    /not there: changes\[0\]\.old_string "three"/,
  ],
  [
    'a text that is there twice',
    { changes: [{ old_string: 'one', new_string: '' }] },
    /several times: changes\[0\]/,
  ],
  ['a patch that does not fit', { patch: '@@ -1 +1 @@\n-x\n+y\n' }, /does not fit/],
  ['a patch without hunks', { patch: 'garbage' }, /no hunk/],
])('%s is a failed diff, and nothing is written', async (_, edit, message) => {
  const { call, text } = await withTrilium(NOTES);
  const error = errorOf(await call('write_note', { noteId: 'abcd', mode: 'edit', ...edit }));
  expect(error.code).toBe('DIFF_APPLICATION_FAILED');
  expect(error.error).toMatch(message);
  expect(await text('abcd')).toBe('<p>one two one</p>');
});

test.each<[string, Record<string, unknown>, string]>([
  ['get_note', {}, 'noteId: Required field is missing'],
  ['create_note', { parentNoteId: 'root', title: 'x', content: '' }, 'type: Required field is missing'],
  ['get_note', { noteId: 'abcd', format: 'pdf' }, 'format: Invalid value. Allowed values: html, markdown'],
  ['get_note', { noteId: '' }, 'noteId: Must be at least 1 characters'],
  ['get_note_tree', { noteId: 'abcd', depth: 0 }, 'depth: Must be at least 1'],
  ['get_note_tree', { noteId: 'abcd', depth: 9 }, 'depth: Must be at most 5'],
  ['search_notes', { query: 'x', ancestorDepth: 'far' }, 'ancestorDepth: Invalid format'],
  ['get_note', { noteId: 7 }, 'noteId: Must be of type string'],
  ['get_revisions', {}, 'input: Give exactly one of noteId and revisionId'],
  ['get_attributes', { noteId: 'a', attributeId: 'b' }, 'input: Give exactly one of noteId and attributeId'],
  ['get_attachment', {}, 'input: Give exactly one of attachmentId and noteId'],
  [
    'write_note',
    { noteId: 'abcd', mode: 'metadata' },
    'input: mode "metadata" needs at least one of title, type, mime',
  ],
  [
    'write_note',
    { noteId: 'abcd', mode: 'metadata', title: 'x', content: '' },
    'input: mode "metadata" does not take content',
  ],
  ['write_note', { noteId: 'abcd', mode: 'replace' }, 'input: mode "replace" needs content'],
  [
    'write_note',
    { noteId: 'abcd', mode: 'append', content: '', title: 'x' },
    'input: mode "append" does not take title',
  ],
  [
    'write_note',
    { noteId: 'abcd', mode: 'edit' },
    'input: mode "edit" needs exactly one of changes and patch',
  ],
  [
    'write_note',
    { noteId: 'abcd', mode: 'edit', patch: 'x', format: 'markdown' },
    'input: edit works on the stored HTML; format "markdown" cannot be used with it',
  ],
  [
    'write_note',
    { noteId: 'abcd', mode: 'edit', patch: 'x', files: [] },
    'input: mode "edit" does not take files',
  ],
  [
    'write_attachment',
    { attachmentId: 'a', mode: 'metadata' },
    'input: mode "metadata" needs at least one of role, mime, title, position',
  ],
  [
    'write_attachment',
    { attachmentId: 'a', mode: 'replace', content: '', title: 'x' },
    'input: mode "replace" does not take title',
  ],
  [
    'write_attachment',
    { attachmentId: 'a', mode: 'edit' },
    'input: mode "edit" needs exactly one of changes and patch',
  ],
  ['organize_note', { action: 'move', noteId: 'abcd' }, 'newParentNoteId: Required for action "move"'],
  [
    'organize_note',
    { action: 'reorder', parentNoteId: 'root', notePositions: [] },
    'notePositions: Required for action "reorder"',
  ],
  ['organize_note', { action: 'unlink' }, 'branchId: Required for action "unlink"'],
  ['manage_system', { action: 'backup' }, 'backupName: Required for action "backup"'],
  ['manage_system', { action: 'import', noteId: 'abcd' }, 'data: Required for action "import"'],
  ['manage_system', { action: 'backup', backupName: '../x' }, 'backupName: Invalid format'],
])('%s %j names the field and the reason', async (tool, args, line) => {
  const { call, asked } = await withTrilium(NOTES);
  const { error, status, code, suggestion } = errorOf(await call(tool, args));
  expect(error).toBe(`Invalid input for tool "${tool}"`);
  expect([status, code]).toEqual([undefined, undefined]);
  expect(suggestion.split('\n')[0]).toBe('Check the following fields and correct them:');
  expect(suggestion).toContain(`\n  - ${line}`);
  expect(asked()).toEqual([]);
});

test.each<[Fate, string]>([
  [{ kind: 'status', status: 401, applies: false }, '401'],
  [{ kind: 'status', status: 403, applies: false }, '403'],
  [{ kind: 'status', status: 429, applies: false }, '429'],
  [{ kind: 'status', status: 500, applies: false }, '500'],
  [{ kind: 'status', status: 503, applies: false }, '503'],
  [{ kind: 'redirect', to: 'http://127.0.0.1:1/' }, '302'],
  [{ kind: 'html' }, '200'],
  [{ kind: 'reset', applies: false }, '502 (TRILIUM_UNREACHABLE)'],
])('%j becomes a result with that status and a next step', async (fate, status) => {
  const { call, fake } = await withTrilium(NOTES);
  fake.faults.fate = () => fate;
  const error = errorOf(await call('get_note', { noteId: 'abcd' }));
  expect(error.status).toBe(status);
  expect(error.suggestion).toMatch(/\S/);
});

test('a wrong token has an error of its own, and is never shown', async () => {
  const { call, fake } = await withTrilium(NOTES);
  const [token = ''] = fake.tokens;
  fake.tokens.clear();
  const answer = await call('get_note', { noteId: 'abcd' });
  expect(errorOf(answer).status).toBe('401 (NOT_AUTHENTICATED)');
  expect(answer.text).not.toContain(token);
});

test('on a Trilium before 0.102 what is missing says so, and the rest works', async () => {
  const { call, ok } = await withTrilium(NOTES, { version: '0.101.3' });
  const missing: [string, Record<string, unknown>][] = [
    ['get_note_history', {}],
    ['get_revisions', { noteId: 'abcd' }],
    ['get_attachment', { noteId: 'abcd' }],
    ['delete_note', { noteId: 'abcd', action: 'undelete' }],
  ];
  for (const [tool, args] of missing)
    expect(errorOf(await call(tool, args)).error, tool).toContain('needs Trilium 0.102');
  const read = await ok('get_note', { noteId: 'abcd' });
  expect(read.content[1]?.text).toContain('<p>one two one</p>');
  expect(read.content[1]?.text).toContain('needs Trilium 0.102');
  await ok('write_note', { noteId: 'abcd', mode: 'append', content: 'x' });
});

test('every call is logged, and nothing of its content', async () => {
  const lines: unknown[] = [];
  const onCalled = ({ line }: ToolCallRecord) => lines.push(line && [line.message, line.fields]);
  const { call } = await withTrilium(NOTES, { onCalled });
  await call('get_note', { noteId: 'abcd' });
  await call('get_note', { noteId: 'none1' });
  await call('get_note', {});
  await call('write_note', { noteId: 'abcd', mode: 'edit', patch: 'secret' });
  await call('frobnicate');
  const duration_ms = expect.any(Number);
  expect(lines).toEqual([
    ['tool_call', { tool: 'get_note', duration_ms, ok: true }],
    [
      'tool_call',
      { tool: 'get_note', duration_ms, ok: false, error: 'trilium', status: 404, code: 'NOTE_NOT_FOUND' },
    ],
    ['tool_call', { tool: 'get_note', duration_ms, ok: false, error: 'zod' }],
    ['tool_call', { tool: 'write_note', duration_ms, ok: false, error: 'diff' }],
    ['tool_call', { tool: 'frobnicate', duration_ms, ok: false, error: 'unknown_tool' }],
  ]);
});

test('attachments of a locked note show no ciphertext as a title', async () => {
  const { ok, call, fake } = await withTrilium(NOTES);
  const facts = { role: 'file', mime: 'text/plain', title: 'Diary.txt' };
  const { attachmentId, position } = fake.db.addAttachment({ ...facts, ownerId: 'lock' }, 'x');
  const open = fake.db.addAttachment({ ...facts, ownerId: 'abcd' }, 'x');
  const listed = await ok('get_attachment', { noteId: 'lock' });
  expect(listed.json).toMatchObject([{ attachmentId, title: '[protected]' }]);
  const described = await ok('get_attachment', { attachmentId, include_content: false });
  expect(described.json).toMatchObject({ attachmentId, title: '[protected]' });
  const same = await ok('write_attachment', { attachmentId, mode: 'metadata', position });
  expect(same.json).toMatchObject({ attachmentId, title: '[protected]' });
  expect((await call('delete_attachment', { attachmentId })).isError).toBe(true);
  const plain = await ok('get_attachment', { attachmentId: open.attachmentId, include_content: false });
  expect(plain.json.title).toBe('Diary.txt');
  expect((await ok('get_attachment', { noteId: 'abcd' })).json).toMatchObject([{ title: 'Diary.txt' }]);
});
