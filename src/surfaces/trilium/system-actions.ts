/** The actions of manage_system. */
import type * as z from 'zod';
import type { Call, Output } from '../../mcp/tool.ts';
import { AppError } from '../../shared/errors.ts';
import { decodeEmbedded } from '../../stores/trilium/binary-data.ts';
import type { TriliumBackend } from './backend.ts';
import { fileBlock, mostBytes } from './file-block.ts';
import { noteView } from './note-view.ts';

interface Managing {
  readonly action: 'backup' | 'export' | 'import' | 'app_info';
  readonly backupName?: string | undefined;
  readonly noteId?: string | undefined;
  readonly format: 'html' | 'markdown';
  readonly data?: string | undefined;
}

const NEEDED = {
  backup: ['backupName'],
  export: ['noteId'],
  import: ['noteId', 'data'],
  app_info: [],
} as const;

/** A larger ZIP comes as a blob of its own: nobody reads that much base64. */
const MOST_INLINE_BYTES = 64 * 1024;

export function checkManage(input: Managing, context: z.RefinementCtx): void {
  for (const name of NEEDED[input.action])
    if (input[name] === undefined)
      context.addIssue({ code: 'custom', path: [name], message: `Required for action "${input.action}"` });
}

export async function manage(input: Managing, call: Call<TriliumBackend>): Promise<Output> {
  const { client } = call.backend;
  const options = { signal: call.signal };
  switch (input.action) {
    case 'app_info':
      return { value: { ...(await client.system.appInfo(options)) } };
    case 'backup': {
      const { backupName = '' } = input;
      await client.system.backup(backupName, options);
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
  { action, noteId = '', format }: Managing,
  { backend: { client }, signal }: Call<TriliumBackend>,
): Promise<Output> {
  const bytes = await client.notes.exportZip(noteId, format, {
    signal,
    maxBytes: mostBytes('application/zip'),
  });
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
  { action, noteId: parentNoteId = '', data = '' }: Managing,
  call: Call<TriliumBackend>,
): Promise<Output> {
  const { bytes } = decodeEmbedded(data, 'application/zip');
  if (!Buffer.from(bytes.subarray(0, 2)).equals(Buffer.from('PK')))
    throw new AppError('invalid_input', 'Not a ZIP file', {
      subject: 'data',
      hint: 'Give the bytes of a ZIP file as base64, for example from an export. Nothing was written.',
    });
  const { client, addresses } = call.backend;
  const options = { signal: call.signal };
  // Trilium would make a note of any parent it does not know.
  await client.notes.get(parentNoteId, options);
  const { note, branch } = await client.notes.importZip(parentNoteId, bytes, options);
  return { value: { action, parentNoteId, note: noteView(note), branch, url: await addresses.of(note) } };
}
