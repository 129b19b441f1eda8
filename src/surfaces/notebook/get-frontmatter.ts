import * as z from 'zod';
import { readNote as read } from '../../notes/ops/read-note.ts';
import { parseNotePath } from '../../notes/path.ts';
import { AppError } from '../../shared/errors.ts';
import { path } from '../shared/parameters.ts';
import { defineTool, prettyPrint } from './backend.ts';

export const getFrontmatter = defineTool({
  name: 'get_frontmatter',
  title: 'Get frontmatter',
  description:
    'Get a note\'s frontmatter as an object, without its text; {} when it has none. To change it use update_frontmatter. Example: {"path":"projects/plan.md"}',
  effect: 'read',
  input: () => z.strictObject({ path: path(), prettyPrint: prettyPrint() }),
  output: () => z.looseObject({}),
  async run(input, { backend }) {
    const target = parseNotePath(input.path);
    const { frontmatter, problem } = await read(backend.notes, target);
    if (problem !== undefined) {
      throw new AppError('invalid_input', 'Invalid frontmatter', {
        subject: problem,
        hint: 'read_note shows the file as it is; patch_note can repair it.',
      });
    }
    return { value: frontmatter };
  },
});
