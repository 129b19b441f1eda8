/** A good call of every tool, and the kinds of its parameters; of a tool without a row they follow from its schema. */
import { type Subject, subjectOf } from '../../kit/bad-input.ts';
import { pinnedTools } from '../../kit/pinned-tools.ts';

const ROWS: Record<string, Subject> = {
  read_note: {
    good: { path: 'a.md' },
    parameters: { path: 'notePath', offset: 'offset', prettyPrint: 'boolean' },
    required: ['path'],
  },
  write_note: {
    good: { path: 'a.md', content: 'new', frontmatter: { k: 1 }, mode: 'append' },
    parameters: { path: 'notePath', content: 'text', frontmatter: 'object', mode: 'mode' },
    required: ['path', 'content'],
  },
  patch_note: {
    good: { path: 'a.md', oldString: 'text', newString: 'new' },
    parameters: { path: 'notePath', oldString: 'soughtText', newString: 'text', replaceAll: 'boolean' },
    required: ['path', 'oldString', 'newString'],
  },
  delete_note: {
    good: { path: 'a.md', confirmPath: 'a.md' },
    parameters: { path: 'notePath', confirmPath: 'notePath' },
    required: ['path', 'confirmPath'],
  },
  move_note: {
    good: { oldPath: 'a.md', newPath: 'moved.md' },
    parameters: {
      oldPath: 'notePath',
      newPath: 'notePath',
      overwrite: 'boolean',
      updateLinks: 'boolean',
      dryRun: 'boolean',
    },
    required: ['oldPath', 'newPath'],
  },
  list_directory: {
    good: { path: 'sub' },
    parameters: { path: 'folderPath', offset: 'offset', prettyPrint: 'boolean' },
    required: [],
  },
  search_notes: {
    good: { query: 'text' },
    parameters: {
      query: 'query',
      limit: 'limit',
      searchContent: 'boolean',
      searchFrontmatter: 'boolean',
      caseSensitive: 'boolean',
      offset: 'offset',
      prettyPrint: 'boolean',
    },
    required: [],
  },
  read_multiple_notes: {
    good: { paths: ['a.md'] },
    parameters: {
      paths: 'paths',
      includeContent: 'boolean',
      includeFrontmatter: 'boolean',
      prettyPrint: 'boolean',
    },
    required: ['paths'],
  },
  get_frontmatter: {
    good: { path: 'a.md' },
    parameters: { path: 'notePath', prettyPrint: 'boolean' },
    required: ['path'],
  },
  update_frontmatter: {
    good: { path: 'a.md', frontmatter: { k: 1 } },
    parameters: { path: 'notePath', frontmatter: 'object', merge: 'boolean' },
    required: ['path', 'frontmatter'],
  },
  get_notes_info: {
    good: { paths: ['a.md'] },
    parameters: { paths: 'paths', prettyPrint: 'boolean' },
    required: ['paths'],
  },
  manage_tags: {
    good: { path: 'a.md', operation: 'add', tags: ['t'] },
    parameters: { path: 'notePath', operation: 'operation', tags: 'tags', removeInline: 'boolean' },
    required: ['path', 'operation'],
  },
};

export const SUBJECTS: Record<string, Subject> = Object.fromEntries(
  pinnedTools('notebook').map((tool) => [tool.name, ROWS[tool.name] ?? subjectOf(tool)]),
);
