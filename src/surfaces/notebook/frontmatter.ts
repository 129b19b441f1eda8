import * as z from 'zod';
import { updateFrontmatter as update } from '../../notes/ops/edit-note.ts';
import { onNote } from '../../notes/ops/find-note.ts';
import { readNote as read } from '../../notes/ops/read-note.ts';
import { changeTags, listTags, type Tags } from '../../notes/ops/tags.ts';
import { sameTag } from '../../notes/tags.ts';
import { AppError } from '../../shared/errors.ts';
import { expectedVersion, path } from '../shared/parameters.ts';
import { defineTool, frontmatter, operationResult, prettyPrint } from './backend.ts';

export const getFrontmatter = defineTool({
  name: 'get_frontmatter',
  title: 'Get frontmatter',
  description:
    'Get a note\'s frontmatter as an object, without its text; {} when it has none. To change it use update_frontmatter. Example: {"path":"projects/plan.md"}',
  effect: 'read',
  input: () => z.strictObject({ path: path(), prettyPrint: prettyPrint() }),
  output: () => z.looseObject({}),
  async run(input, { backend, signal }) {
    const { frontmatter, problem, note } = await onNote(
      backend,
      input.path,
      (target) => read(backend.notes, target),
      { signal },
    );
    void backend.guard?.shownPart(note);
    if (problem !== undefined) {
      throw new AppError('invalid_input', 'Invalid frontmatter', {
        subject: problem,
        hint: 'read_note shows the file as it is; patch_note can repair it.',
      });
    }
    return { value: frontmatter };
  },
});

export const updateFrontmatter = defineTool({
  name: 'update_frontmatter',
  title: 'Update frontmatter',
  description:
    'Set frontmatter keys of a note; its text, other keys, comments and formatting stay byte for byte. With merge false, keys not given are removed. For tags use manage_tags. Example: {"path":"plan.md","frontmatter":{"status":"done"}}',
  effect: 'write',
  input: () =>
    z.strictObject({
      path: path(),
      frontmatter: frontmatter().describe('Keys and values to set'),
      merge: z.boolean().default(true).describe('Keep keys not given'),
      expectedVersion: expectedVersion(),
    }),
  output: () => operationResult(),
  async run({ path: raw, ...changes }, { backend, signal }) {
    return onNote(backend, raw, async (target) => {
      const changed = await update(backend, target, changes, signal);
      const message = changed
        ? `Successfully updated frontmatter: ${target}`
        : `Frontmatter already as asked: ${target}`;
      return { value: { success: true, path: target, message } };
    });
  },
});

export const manageTags = defineTool({
  name: 'manage_tags',
  title: 'Manage tags',
  description:
    'List, add or remove the tags of a note. list shows frontmatter tags and inline #tags; add and remove edit the frontmatter; remove with removeInline also takes #tags out of the text. Example: {"path":"plan.md","operation":"add","tags":["urgent"]}',
  effect: 'write',
  input: () =>
    z.strictObject({
      path: path(),
      operation: z.enum(['add', 'remove', 'list']).describe('What to do'),
      tags: z
        .array(z.string().min(1, 'must not be empty').max(200))
        .max(100, 'at most 100 tags')
        .optional()
        .describe('With or without #; for add and remove'),
      removeInline: z.boolean().default(false).describe('Also remove inline #tags'),
    }),
  output: () =>
    operationResult().extend({
      operation: z.string(),
      tags: z.array(z.string()),
      frontmatter: z.array(z.string()),
      inline: z.array(z.string()),
    }),
  async run({ path: raw, operation, tags, removeInline }, { backend, signal }) {
    if (operation === 'list')
      return onNote(backend, raw, async (target) =>
        outputOf(target, operation, await listTags(backend.notes, target)),
      );
    if (!tags || tags.length === 0) {
      throw new AppError('invalid_input', `tags: required for ${operation}`, {
        hint: 'For example "tags": ["project"].',
      });
    }
    const change = operation === 'add' ? { add: tags } : { remove: tags, inline: removeInline };
    return onNote(backend, raw, async (target) =>
      outputOf(target, operation, await changeTags(backend, target, change, signal), tags),
    );
  },
});

function outputOf(
  path: string,
  operation: string,
  { frontmatter, inline }: Tags,
  asked: readonly string[] = [],
) {
  const tags = [...frontmatter, ...inline.filter((tag) => !frontmatter.some((other) => sameTag(other, tag)))];
  const left =
    operation === 'remove'
      ? asked.filter((tag) => inline.some((other) => sameTag(other, tag.replace(/^#/, ''))))
      : [];
  const verb = { add: 'added', remove: 'removed', list: 'listed' }[operation];
  const message = `Successfully ${verb} tags: ${path}${left.length > 0 ? ` (still inline: ${left.join(', ')}; removeInline=true takes them out of the text)` : ''}`;
  return { value: { success: true, path, operation, message, tags, frontmatter, inline } };
}
