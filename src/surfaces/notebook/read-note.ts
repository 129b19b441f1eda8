import * as z from 'zod';
import { suggestingWhenMissing } from '../../notes/ops/missing.ts';
import { readNote as read } from '../../notes/ops/read-note.ts';
import { parseNotePath } from '../../notes/path.ts';
import { binaryBlock, isBinary, notTextSentence } from '../shared/binary.ts';
import { PAGE_CHARACTERS, textPage } from '../shared/paging.ts';
import { path } from '../shared/parameters.ts';
import { defineTool, offset, prettyPrint } from './backend.ts';

export const readNote = defineTool({
  name: 'read_note',
  title: 'Read a note',
  description:
    'Read one note: frontmatter as `fm`, text as `content`. For several notes use read_multiple_notes, for metadata only get_frontmatter or get_notes_info, to find notes search_notes. Long notes come in pages: call again with the offset given in `next`. Example: {"path":"projects/plan.md"}',
  effect: 'read',
  input: () =>
    z.strictObject({
      path: path(),
      offset: offset(`Character of the content to start at; pages hold ${PAGE_CHARACTERS}`),
      prettyPrint: prettyPrint(),
    }),
  output: () =>
    z.object({
      fm: z.record(z.string(), z.unknown()),
      content: z.string(),
      next: z.number().optional(),
      total: z.number().optional(),
      note: z.string().optional(),
    }),
  async run(input, { backend }) {
    const target = parseNotePath(input.path);
    if (isBinary(target)) {
      const note = await suggestingWhenMissing(backend.notes, target, () => backend.notes.read(target));
      return {
        value: { fm: {}, content: '', note: notTextSentence(note) },
        blocks: [binaryBlock(note)],
      };
    }
    const { frontmatter, content, problem } = await read(backend.notes, target);
    const page = textPage(content, input.offset);
    const notes = [
      ...(problem === undefined ? [] : [`Invalid frontmatter (${problem}): content is the whole file.`]),
      ...(page.next === undefined
        ? []
        : [
            `Cut after character ${page.next} of ${content.length}; call read_note again with offset=${page.next}.`,
          ]),
    ];
    return {
      value: {
        fm: frontmatter,
        content: page.text,
        next: page.next,
        total: page.next !== undefined ? content.length : undefined,
        note: notes.length > 0 ? notes.join(' ') : undefined,
      },
    };
  },
});
