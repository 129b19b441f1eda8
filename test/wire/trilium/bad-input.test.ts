import { expect, test } from 'vitest';
import { badlyRefused, type Subject } from '../../kit/bad-input.ts';
import { errorOf, withTrilium } from './support.ts';

const NOTES = [
  { id: 'abcd', title: 'A', content: '<p>text</p>', children: [{ id: 'efgh', title: 'B' }] },
  { id: 'ijkl', title: 'C' },
];
const note = { parentNoteId: 'abcd', title: 'N', type: 'text', content: 'x' };

/** One good call for each way a tool is called, and the kinds of its parameters. */
const SUBJECTS: Record<string, Subject> = {
  search_notes: {
    good: { query: 'text' },
    parameters: {
      query: 'query',
      fastSearch: 'boolean',
      includeArchivedNotes: 'boolean',
      ancestorNoteId: 'id',
      ancestorDepth: 'choice',
      orderBy: 'choice',
      orderDirection: 'choice',
      limit: 'limit',
      offset: 'offset',
      debug: 'boolean',
      fuzzy: 'choice',
    },
    required: ['query'],
  },
  get_note_tree: {
    good: { noteId: 'abcd' },
    parameters: { noteId: 'id', depth: 'choice', limit: 'limit', offset: 'offset' },
    required: ['noteId'],
  },
  get_note: {
    good: { noteId: 'abcd' },
    parameters: {
      noteId: 'id',
      include_content: 'boolean',
      format: 'choice',
      includeImages: 'boolean',
      content_start: 'offset',
      content_max_chars: 'limit',
    },
    required: ['noteId'],
  },
  get_note_history: {
    good: {},
    parameters: { ancestorNoteId: 'id', limit: 'limit', offset: 'offset' },
    required: [],
  },
  create_note: {
    good: note,
    parameters: {
      parentNoteId: 'id',
      title: 'words',
      type: 'choice',
      content: 'text',
      format: 'choice',
      mime: 'words',
      notePosition: 'limit',
      prefix: 'text',
      isExpanded: 'boolean',
      noteId: 'freshId',
      dateCreated: 'stamp',
      utcDateCreated: 'stamp',
      images: 'embeds',
      files: 'embeds',
    },
    required: ['parentNoteId', 'title', 'type', 'content'],
  },
  write_note: {
    good: { noteId: 'abcd', mode: 'replace', content: 'x' },
    parameters: {
      noteId: 'id',
      mode: 'choice',
      content: 'text',
      title: 'words',
      type: 'choice',
      mime: 'words',
      changes: 'changes',
      patch: 'text',
      format: 'choice',
      images: 'embeds',
      files: 'embeds',
      expected_blob_id: 'words',
    },
    required: ['noteId', 'mode', 'content'],
  },
  delete_note: {
    good: { noteId: 'abcd', action: 'delete' },
    parameters: { noteId: 'id', action: 'choice', expected_blob_id: 'words' },
    required: ['noteId', 'action'],
  },
  get_revisions: {
    good: { noteId: 'abcd' },
    parameters: {
      noteId: 'id',
      revisionId: 'id',
      include_content: 'boolean',
      content_start: 'offset',
      limit: 'limit',
      offset: 'offset',
    },
    required: ['noteId'],
  },
  get_attributes: {
    good: { noteId: 'abcd' },
    parameters: { noteId: 'id', attributeId: 'id' },
    required: ['noteId'],
  },
  set_attribute: {
    good: { noteId: 'abcd', type: 'label', name: 'n', value: 'v' },
    parameters: {
      noteId: 'id',
      type: 'choice',
      name: 'name',
      value: 'text',
      mode: 'choice',
      isInheritable: 'boolean',
      position: 'limit',
      attributeId: 'freshId',
    },
    required: ['noteId', 'type', 'name', 'value'],
  },
  delete_attribute: {
    good: { attributeId: 'abcd' },
    parameters: { attributeId: 'id' },
    required: ['attributeId'],
  },
  get_attachment: {
    good: { noteId: 'abcd' },
    parameters: { attachmentId: 'id', noteId: 'id', include_content: 'boolean', content_start: 'offset' },
    required: ['noteId'],
  },
  create_attachment: {
    good: { ownerId: 'abcd', role: 'file', mime: 'text/plain', title: 't', content: 'x' },
    parameters: {
      ownerId: 'id',
      role: 'name',
      mime: 'name',
      title: 'name',
      content: 'text',
      position: 'limit',
    },
    required: ['ownerId', 'role', 'mime', 'title', 'content'],
  },
  write_attachment: {
    good: { attachmentId: 'abcd', mode: 'replace', content: 'x' },
    parameters: {
      attachmentId: 'id',
      mode: 'choice',
      role: 'name',
      mime: 'name',
      title: 'name',
      position: 'limit',
      content: 'text',
      changes: 'changes',
      patch: 'text',
      expected_blob_id: 'words',
    },
    required: ['attachmentId', 'mode', 'content'],
  },
  delete_attachment: {
    good: { attachmentId: 'abcd' },
    parameters: { attachmentId: 'id', expected_blob_id: 'words' },
    required: ['attachmentId'],
  },
  get_special_note: {
    good: { kind: 'day' },
    parameters: { kind: 'choice', date: 'day' },
    required: ['kind'],
  },
  organize_note: {
    good: {
      action: 'reorder',
      parentNoteId: 'root',
      notePositions: [{ branchId: 'root_abcd', notePosition: 5 }],
    },
    parameters: {
      action: 'choice',
      noteId: 'id',
      newParentNoteId: 'id',
      oldParentNoteId: 'id',
      parentNoteId: 'id',
      prefix: 'text',
      notePositions: 'positions',
      branchId: 'id',
    },
    required: ['action', 'parentNoteId', 'notePositions'],
  },
  create_revision: {
    good: { noteId: 'abcd' },
    parameters: { noteId: 'id', format: 'choice', description: 'text' },
    required: ['noteId'],
  },
  manage_system: {
    good: { action: 'import', noteId: 'abcd', data: 'AAAA' },
    parameters: { action: 'choice', backupName: 'words', noteId: 'id', format: 'choice', data: 'text' },
    required: ['action', 'noteId', 'data'],
  },
};

test('every tool and every parameter is in the table', async () => {
  const { client } = await withTrilium();
  const { tools } = await client.listTools();
  expect(Object.keys(SUBJECTS)).toEqual(tools.map(({ name }) => name));
  const left = tools.flatMap(({ name, inputSchema }) =>
    Object.keys(inputSchema.properties ?? {})
      .filter((parameter) => !(parameter in SUBJECTS[name]!.parameters))
      .map((parameter) => `${name}.${parameter}`),
  );
  // This parameter is accepted with any value, and not used.
  expect(left).toEqual(['create_note.branchId']);
});

test.each(Object.keys(SUBJECTS))(
  '%s refuses every bad value by the name of its parameter and changes nothing',
  async (tool) => {
    const { call, state, ok } = await withTrilium(NOTES);
    const before = await state();
    const wrong = await badlyRefused(tool, SUBJECTS, call, (answer) => {
      if (!answer.isError) return { wrong: 'accepted' };
      errorOf(answer);
      return { words: answer.text };
    });
    expect(wrong).toEqual([]);
    expect(await state()).toBe(before);
    await ok('get_note', { noteId: 'ijkl' });
  },
);

test('a blank name of an attribute is refused before anything is sent', async () => {
  const { call, ok, fake } = await withTrilium(NOTES);
  for (const name of [' ', '\t', '\u00a0', '\ufeff']) {
    const refused = errorOf(
      await call('set_attribute', { noteId: 'abcd', type: 'label', name, value: 'v', attributeId: 'attr1' }),
    );
    expect(refused.suggestion).toMatch(/name.*blank/s);
  }
  expect(fake.requests).toEqual([]);
  await ok('delete_note', { noteId: 'abcd', action: 'delete' });
});
