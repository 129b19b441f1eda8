import * as z from 'zod';
import { AppError } from '../../shared/errors.ts';
import { defineTool } from './backend.ts';
import { format, id, text } from './parameters.ts';
import { checkManage, manage } from './system-actions.ts';

const ACTIONS = ['backup', 'export', 'import', 'app_info'] as const;
const READING: readonly string[] = ['export', 'app_info'] satisfies (typeof ACTIONS)[number][];

const readSystem = defineTool({
  name: 'manage_system',
  title: 'Manage system',
  description:
    'action "export": a note with all below it as a ZIP; "app_info": versions. This Trilium is served read-only: nothing else is offered. Example: {"action":"export","noteId":"abc123","format":"markdown"}',
  effect: 'read',
  takesFiles: true,
  input: () =>
    z
      .object({
        // Those that are not listed are taken too, so that the answer can say why they are not done.
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
  whenReadOnly: readSystem,
  idempotent: false,
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
