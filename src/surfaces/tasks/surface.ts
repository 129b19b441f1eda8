/** The tools of the set `tasks`. */
import { plainResult } from '../../mcp/errors.ts';
import type { Surface } from '../../mcp/tool.ts';
import type { NoteSetBackend } from '../shared/note-set.ts';
import { addTask } from './add-task.ts';
import { changeTask } from './change-task.ts';
import { checkTask } from './check-task.ts';
import { listTasks } from './list-tasks.ts';
import { moveTask } from './move-task.ts';

export const tasksSurface: Surface<NoteSetBackend> = {
  id: 'tasks',
  instructions: 'list_tasks finds to-dos in all notes.',
  tools: [listTasks, checkTask, addTask, changeTask, moveTask],
  renderError: plainResult,
};
