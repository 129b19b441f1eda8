/** No answer holds a path of the host, and no request ends the server. */
import { symlinkSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, test } from 'vitest';
import { notebookSurface } from '../../src/surfaces/notebook/surface.ts';
import { startBinary } from '../kit/server.ts';
import { temporaryFolder } from '../kit/temp.ts';
import { served, treeOf } from './served.ts';

const SEED = {
  'a.md': '---\ntags: [a]\n---\n# A\n\n[[sub/b]]\n',
  'sub/b.md': 'b\n',
  'broken.md': '---\nx: "open\n---\nbody\n',
  'latin1.md': Buffer.from('caf\xe9', 'latin1'),
  'folder.md/x.md': 'x',
};

const TOOLS = notebookSurface.tools.map(({ name }) => name);

const PATHS = [
  'a.md',
  'sub/b.md',
  'sub',
  'folder.md',
  'a.md/below.md',
  'gone.md',
  'sub/gone.md',
  'broken.md',
  'latin1.md',
  '.git/x.md',
  '../x.md',
  'pic.png',
  'out.md',
  'out/x.md',
  'dangling.md',
  'loop.md',
  '',
  '.',
  'CON.md',
  'a\u0000.md',
  `${'n'.repeat(300)}.md`,
  '/etc/passwd',
  'deep/er/new.md',
];

function callsFor(path: string): [string, Record<string, unknown>][] {
  return [
    ['read_note', { path }],
    ['get_frontmatter', { path }],
    ['list_directory', { path }],
    ['read_multiple_notes', { paths: [path, 'a.md'] }],
    ['get_notes_info', { paths: [path, 'a.md'] }],
    ['manage_tags', { path, operation: 'list' }],
    ['manage_tags', { path, operation: 'add', tags: ['t'] }],
    ['patch_note', { path, oldString: 'b', newString: 'c' }],
    ['update_frontmatter', { path, frontmatter: { k: 1 } }],
    ['update_frontmatter', { path, frontmatter: { k: null }, merge: false }],
    ['write_note', { path, content: 'x', mode: 'append' }],
    ['write_note', { path, content: 'x' }],
    ['move_note', { oldPath: path, newPath: 'moved.md', dryRun: true }],
    ['move_note', { oldPath: path, newPath: 'moved.md' }],
    ['move_note', { oldPath: 'moved.md', newPath: path }],
    ['delete_note', { path, confirmPath: path }],
    ['delete_note', { path, confirmPath: 'other' }],
    ['search_notes', { query: path === '' ? 'x' : path }],
  ];
}

test('no answer of a long session, good or bad, shows where the notebook is on the host', async () => {
  const outside = await temporaryFolder({ 'x.md': 'x' });
  const folder = await temporaryFolder(SEED);
  symlinkSync(join(outside, 'x.md'), join(folder, 'out.md'));
  symlinkSync(outside, join(folder, 'out'));
  symlinkSync(join(outside, 'gone.md'), join(folder, 'dangling.md'));
  symlinkSync('loop.md', join(folder, 'loop.md'));
  const { call, client } = await startBinary(folder);
  const answers: string[] = [];
  for (const path of PATHS) {
    for (const [tool, args] of callsFor(path)) {
      const { content } = await call(tool, args);
      answers.push(JSON.stringify(content));
    }
  }
  answers.push(JSON.stringify(await client.listTools()), JSON.stringify(await client.listResources()));
  answers.push(JSON.stringify(client.getInstructions()), JSON.stringify(client.getServerVersion()));
  for (const uri of [
    'note:///a.md',
    'note:///gone.md',
    'note:///out.md',
    'note:///../x.md',
    'file:///etc/passwd',
  ])
    answers.push(await client.readResource({ uri }).then(JSON.stringify, String));
  expect(answers.length).toBeGreaterThan(400);
  for (const place of [basename(folder), basename(outside), '/proc/self', process.cwd(), 'node:internal'])
    expect(answers.filter((answer) => answer.includes(place))).toEqual([]);
});

test('arguments of a wrong type are refused by name, nothing is written and the server goes on', async () => {
  const { folder, call } = await served(SEED);
  const before = treeOf(folder);
  const wrong: [string, Record<string, unknown>, string][] = [
    ['read_note', { path: 5 }, 'path'],
    ['read_note', {}, 'path'],
    ['read_note', { path: ['a.md'] }, 'path'],
    ['read_note', { path: 'a.md', prettyPrint: 'yes' }, 'prettyPrint'],
    ['read_note', { path: 'a.md', pat: 1 }, 'pat'],
    ['write_note', { path: 'n.md', content: { a: 1 } }, 'content'],
    ['write_note', { path: 'n.md', content: 'x', mode: 'insert' }, 'mode'],
    ['write_note', { path: 'n.md', content: 'x', frontmatter: 'a: 1' }, 'frontmatter'],
    ['write_note', { path: 'n.md', content: 'x', frontmatter: ['a'] }, 'frontmatter'],
    ['patch_note', { path: 'a.md', oldString: 1, newString: 'x' }, 'oldString'],
    ['patch_note', { path: 'a.md', oldString: '', newString: 'x' }, 'oldString'],
    ['patch_note', { path: 'a.md', oldString: 'A', newString: null }, 'newString'],
    ['patch_note', { path: 'a.md', oldString: 'A', newString: 'x', replaceAll: 1 }, 'replaceAll'],
    ['delete_note', { path: 'a.md' }, 'confirmPath'],
    ['move_note', { oldPath: 'a.md' }, 'newPath'],
    ['move_note', { oldPath: 'a.md', newPath: 'n.md', overwrite: 'true' }, 'overwrite'],
    ['list_directory', { path: 1 }, 'path'],
    ['search_notes', { query: ['a'] }, 'query'],
    ['search_notes', { query: 'a', limit: '5' }, 'limit'],
    ['search_notes', { query: 'a', limit: -1 }, 'limit'],
    ['search_notes', { query: 'a', limit: 1e9 }, 'limit'],
    ['read_multiple_notes', { paths: 'a.md' }, 'paths'],
    ['read_multiple_notes', { paths: [1] }, 'paths'],
    ['read_multiple_notes', { paths: Array(11).fill('a.md') }, 'paths'],
    ['get_frontmatter', { path: null }, 'path'],
    ['update_frontmatter', { path: 'a.md', frontmatter: 'x' }, 'frontmatter'],
    ['update_frontmatter', { path: 'a.md' }, 'frontmatter'],
    ['get_notes_info', { paths: [] }, 'paths'],
    ['manage_tags', { path: 'a.md', operation: 'toggle' }, 'operation'],
    ['manage_tags', { path: 'a.md', operation: 'add', tags: 'x' }, 'tags'],
    ['manage_tags', { path: 'a.md', operation: 'add' }, 'tags'],
  ];
  expect(new Set(wrong.map(([tool]) => tool))).toEqual(new Set(TOOLS));
  for (const [tool, args, parameter] of wrong) {
    const answer = await call(tool, args);
    expect(answer.isError).toBe(true);
    expect(answer.text).toContain(parameter);
    expect(answer.text.length).toBeLessThan(600);
  }
  expect(treeOf(folder)).toEqual(before);
  expect((await call('read_note', { path: 'sub/b.md' })).json.content).toBe('b\n');
});
