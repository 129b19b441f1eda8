/** The page tools, and the further ones a space may be served with. */
import type { Surface } from '../../mcp/tool.ts';
import type { PagesBackend } from './backend.ts';
import { addTask } from './extended/add-task.ts';
import { backlinks } from './extended/backlinks.ts';
import { checkTask } from './extended/check-task.ts';
import { editPage } from './extended/edit-page.ts';
import { listAttachments } from './extended/list-attachments.ts';
import { listTasks } from './extended/list-tasks.ts';
import { listTrash } from './extended/list-trash.ts';
import { readAttachment } from './extended/read-attachment.ts';
import { renamePage } from './extended/rename-page.ts';
import { restorePage } from './extended/restore-page.ts';
import { pagesSurface } from './surface.ts';

/** The further tools alone, as documents show them. */
export const furtherPagesSurface: Surface<PagesBackend> = {
  ...pagesSurface,
  id: 'pages-extended',
  instructions: 'With `extended: true` the page tools have these beside them.',
  tools: [
    editPage,
    listTasks,
    checkTask,
    addTask,
    backlinks,
    renamePage,
    listAttachments,
    readAttachment,
    listTrash,
    restorePage,
  ],
};

export function pagesSurfaceWith({ extended }: { readonly extended: boolean }): Surface<PagesBackend> {
  if (!extended) return pagesSurface;
  return {
    ...pagesSurface,
    instructions: `${pagesSurface.instructions} To change part of a page use edit_page; for to-dos list_tasks, check_task and add_task; to rename with links rename_page.`,
    tools: [...pagesSurface.tools, ...furtherPagesSurface.tools],
  };
}
