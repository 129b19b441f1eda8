/** The tools of the set `files`. */
import { plainResult } from '../../mcp/errors.ts';
import type { Surface } from '../../mcp/tool.ts';
import type { NoteSetBackend } from '../shared/note-set.ts';
import { editCanvas } from './edit-canvas.ts';
import { listFiles } from './list-files.ts';
import { moveFolder } from './move-folder.ts';
import { readCanvas } from './read-canvas.ts';
import { readFile } from './read-file.ts';

export const filesSurface: Surface<NoteSetBackend> = {
  id: 'files',
  instructions: 'list_files shows attachments and canvases, read_file and read_canvas read them.',
  tools: [listFiles, readFile, readCanvas, editCanvas, moveFolder],
  renderError: plainResult,
};
