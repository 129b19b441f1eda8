import * as z from 'zod';
import { defineTool } from './backend.ts';
import { format, id, text } from './parameters.ts';
import { checkManage, manage } from './system-actions.ts';

export const manageSystem = defineTool({
  name: 'manage_system',
  title: 'Manage system',
  description:
    'action "backup": a copy of the database in Trilium\'s data directory; "export": a note with all below it as a ZIP; "import": a ZIP below noteId; "app_info": versions. Example: {"action":"export","noteId":"abc123","format":"markdown"}',
  effect: 'write',
  idempotent: false,
  input: () =>
    z
      .object({
        action: z.enum(['backup', 'export', 'import', 'app_info']),
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
