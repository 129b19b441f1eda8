/** Notes by other names than their paths: without the extension, by title, alias and wikilink. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { answerJson, withFolder } from '../../kit/server.ts';

const NOTES = {
  'projects/Plan.md': '---\naliases: [the big one]\nstatus: open\n---\n# Heating plan\n\nText.\n',
  'a/Same.md': '# One\n',
  'b/Same.md': '# Other\n',
  'v1.2 release.md': '# Release\n',
  'top.md': '# Top\n\nPlan: see elsewhere.\n',
};

describe('a note is found', () => {
  it.each([
    'projects/Plan',
    'Plan',
    'plan',
    'Heating plan',
    'heating PLAN',
    'the big one',
    '[[Plan]]',
    '![[projects/Plan#Goals|so called]]',
  ])('as %s', async (path) => {
    const { call } = await withFolder(NOTES);
    expect(answerJson(await call('read_note', { path }))).toMatchObject({ fm: { status: 'open' } });
    const changed = answerJson(await call('update_frontmatter', { path, frontmatter: { status: 'done' } }));
    expect(changed).toMatchObject({ success: true, path: 'projects/Plan.md' });
  });

  it('by a name with a dot', async () => {
    const { call } = await withFolder(NOTES);
    expect(answerJson(await call('read_note', { path: 'v1.2 release' })).content).toContain('# Release');
  });

  it('by every tool that takes the path of one', async () => {
    const { call, folder } = await withFolder(NOTES);
    const path = '[[Plan]]';
    expect(answerJson(await call('get_frontmatter', { path }))).toMatchObject({ status: 'open' });
    expect(answerJson(await call('read_multiple_notes', { paths: [path, 'Top'] })).ok).toMatchObject([
      { path: 'projects/Plan.md' },
      { path: 'top.md' },
    ]);
    expect(answerJson(await call('get_notes_info', { paths: ['Top'] })).ok).toMatchObject([
      { path: 'top.md' },
    ]);
    for (const [tool, args] of [
      ['patch_note', { oldString: 'Text', newString: 'Words' }],
      ['manage_tags', { operation: 'add', tags: ['x'] }],
      ['write_note', { content: 'More.', mode: 'append' }],
    ] as const)
      expect(answerJson(await call(tool, { path, ...args })).path).toBe('projects/Plan.md');
    const moved = await call('move_note', { oldPath: 'Heating plan', newPath: 'done/Plan.md' });
    expect(answerJson(moved)).toMatchObject({ oldPath: 'projects/Plan.md', newPath: 'done/Plan.md' });
    const deleted = await call('delete_note', { path: 'the big one', confirmPath: 'the big one' });
    expect(answerJson(deleted).path).toBe('done/Plan.md');
    expect(await readFile(join(folder, 'top.md'), 'utf8')).toBe(NOTES['top.md']);
  });
});

describe('a name is refused', () => {
  it('with all candidates when it may mean several notes, and nothing is changed', async () => {
    const { call, folder } = await withFolder(NOTES);
    const { isError, content } = await call('write_note', { path: 'Same', content: 'x', mode: 'append' });
    expect(isError).toBe(true);
    expect(JSON.stringify(content)).toContain('can mean 2 notes: a/Same.md, b/Same.md');
    expect(await readFile(join(folder, 'a/Same.md'), 'utf8')).toBe('# One\n');
  });

  it.each([
    ['Nowhere', 'No note has this path, name, title or alias'],
    ['[[ ]]', 'This link names no note'],
    ['.obsidian/app', 'Access denied'],
    ['../Plan', 'traversal not allowed'],
  ])('%s', async (path, message) => {
    const { call } = await withFolder(NOTES);
    const { isError, content } = await call('read_note', { path });
    expect(isError).toBe(true);
    expect(JSON.stringify(content)).toContain(message);
  });

  it('where a whole note would be written, which takes its path', async () => {
    const { call } = await withFolder(NOTES);
    const { isError, content } = await call('write_note', { path: 'Plan', content: 'x' });
    expect(isError).toBe(true);
    expect(JSON.stringify(content)).toContain('has no extension');
  });
});
