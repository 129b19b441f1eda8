/** `manage_system`: backups, exports, imports and version. */
import * as z from 'zod';
import type { Call, Output } from '../../mcp/tool.ts';
import { AppError } from '../../shared/errors.ts';
import { decodeEmbedded } from '../../stores/trilium/stored-bytes.ts';
import { defineTool, type TriliumBackend } from './backend.ts';
import { fileBlock, mostBytes } from './blocks.ts';
import { noteView } from './note-view.ts';
import { format, id, requiredBy, text } from './parameters.ts';

interface ManageInput {
  readonly action: 'backup' | 'export' | 'import' | 'app_info';
  readonly backupName?: string;
  readonly noteId?: string;
  readonly format: 'html' | 'markdown';
  readonly data?: string;
}

const checkManage = requiredBy({
  backup: ['backupName'],
  export: ['noteId'],
  import: ['noteId', 'data'],
  app_info: [],
});

/** A larger ZIP is returned as a blob instead of base64 text. */
const MOST_INLINE_BYTES = 64 * 1024;

async function manage(input: ManageInput, call: Call<TriliumBackend>): Promise<Output> {
  const { client } = call.backend;
  switch (input.action) {
    case 'app_info':
      return { value: { ...(await client.system.appInfo()) } };
    case 'backup': {
      const { backupName = '' } = input;
      await client.system.backup(backupName);
      const text = `Backup created: backup-${backupName}.db. It is in Trilium's data directory.`;
      return { value: {}, content: [{ type: 'text', text }] };
    }
    case 'export':
      return exportNote(input, call);
    case 'import':
      return importNotes(input, call);
  }
}

async function exportNote(
  { action, noteId = '', format }: ManageInput,
  { backend: { client } }: Call<TriliumBackend>,
): Promise<Output> {
  const bytes = await client.notes.exportZip(noteId, format, mostBytes('application/zip'));
  const facts = { action, noteId, format, sizeBytes: bytes.length };
  if (bytes.length <= MOST_INLINE_BYTES)
    return {
      value: {
        ...facts,
        base64Data: Buffer.from(bytes).toString('base64'),
        note: 'base64Data is a ZIP file.',
      },
    };
  const uri = `trilium:///notes/${noteId}/export-${format}.zip`;
  return {
    value: { ...facts, note: 'The ZIP file is in the next block, as a blob.' },
    blocks: [fileBlock({ uri, mime: 'application/zip', bytes })],
  };
}

async function importNotes(
  { action, noteId: parentNoteId = '', data = '' }: ManageInput,
  call: Call<TriliumBackend>,
): Promise<Output> {
  const { bytes } = decodeEmbedded(data, 'application/zip');
  if (!Buffer.from(bytes.subarray(0, 2)).equals(Buffer.from('PK')))
    throw new AppError('invalid_input', 'Not a ZIP file', {
      subject: 'data',
      hint: 'Give the bytes of a ZIP file as base64, for example from an export. Nothing was written.',
    });
  const { client, addresses } = call.backend;
  // Trilium would create a note under any parent id, existing or not.
  await client.notes.get(parentNoteId);
  const { note, branch } = await client.notes.importZip(parentNoteId, bytes);
  return { value: { action, parentNoteId, note: noteView(note), branch, url: await addresses.of(note) } };
}

const ACTIONS = ['backup', 'export', 'import', 'app_info'] as const;
const READING: readonly string[] = ['export', 'app_info'] satisfies (typeof ACTIONS)[number][];

export const manageSystemReadOnly = defineTool({
  name: 'manage_system',
  title: 'Manage system',
  description:
    'action "export": a note with all below it as a ZIP; "app_info": versions. This Trilium is served read-only: nothing else is offered. Example: {"action":"export","noteId":"abc123","format":"markdown"}',
  effect: 'read',
  input: () =>
    z
      .object({
        // Actions that are not listed are accepted by the schema, so that the answer can say why they are not
        // offered.
        action: z.enum(ACTIONS).meta({ enum: READING }),
        noteId: id('export').optional(),
        format: format('export'),
      })
      .superRefine((input, context) => {
        if (READING.includes(input.action)) checkManage(input, context);
      }),
  async run(input, call) {
    if (READING.includes(input.action)) return manage(input, call);
    throw new AppError('read_only', `manage_system, action "${input.action}", is not offered`, {
      hint: `This notebook is served read-only (--read-only); ${READING.join(' and ')} work.`,
    });
  },
});

export const manageSystem = defineTool({
  name: 'manage_system',
  title: 'Manage system',
  description:
    'action "backup": a copy of the database in Trilium\'s data directory; "export": a note with all below it as a ZIP; "import": a ZIP below noteId; "app_info": versions. Example: {"action":"export","noteId":"abc123","format":"markdown"}',
  effect: 'write',
  annotations: { idempotentHint: false },
  input: () =>
    z
      .object({
        action: z.enum(ACTIONS),
        backupName: z
          .string()
          .regex(/^[a-zA-Z0-9_-]{1,100}$/)
          .optional(),
        noteId: id('export; import: the parent').optional(),
        format: format('export'),
        data: text('import: the ZIP as base64').optional(),
      })
      .superRefine(checkManage),
  run: manage,
});
