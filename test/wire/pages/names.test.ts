/** Pages by other names than their own, and links that open them. */
import { expect, test } from 'vitest';
import { withPages } from '../../kit/server.ts';
import { fileText } from '../../kit/temp.ts';
import { expectCode, expectOk } from './support.ts';

const PAGES = {
  'projects/Plan.md': '---\naliases: [the big one]\n---\n# Heating plan\n\n* [ ] order parts\n',
  'a/Same.md': '# One\n',
  'b/Same.md': '# Other\n',
  'index.md': 'See [[projects/Plan]].\n',
  'img/pic.png': Buffer.from('89504e47', 'hex'),
};
const PATH = 'projects/Plan.md';

test.each(['Plan', 'plan', 'Heating plan', 'the big one', '[[Plan#Goals|so called]]'])(
  'a page is read as %s',
  async (page) => {
    const { call } = await withPages(PAGES);
    expect(expectOk(await call('read_page', { page })).json).toMatchObject({ path: PATH });
  },
);

test('every tool for a page that exists takes such a name', async () => {
  const { call, folder } = await withPages(PAGES, { extended: true });
  const page = '[[Plan]]';
  for (const [tool, args] of [
    ['append_to_page', { content: 'one' }],
    ['prepend_to_page', { content: 'two' }],
    ['edit_page', { edits: [{ old_text: 'Heating', new_text: 'Cooling' }] }],
    ['add_task', { text: 'call' }],
    ['check_task', { text: 'order parts' }],
    ['backlinks', {}],
  ] as const)
    expect(expectOk(await call(tool, { page, ...args })).json.path, tool).toBe(PATH);
  expect((await call('list_tasks', { page, state: 'all' })).json.count).toBe(2);
  expect((await call('read_attachment', { path: 'pic' })).json.path).toBe('img/pic.png');
  const renamed = await call('rename_page', { from: 'Cooling plan', to: 'done/Plan' });
  expect(expectOk(renamed).json).toMatchObject({ from: PATH, to: 'done/Plan.md', linksUpdated: 1 });
  const moved = await call('move_page', { from: 'the big one', to: 'Last' });
  expect(expectOk(moved).json).toMatchObject({ from: 'done/Plan.md', to: 'Last.md' });
  expect(await fileText(folder, 'index.md')).toBe('See [[done/Plan]].\n');
});

test('new and overwritten pages keep the name that is given, and a page is deleted by its own alone', async () => {
  const { call, folder } = await withPages(PAGES);
  expectCode(await call('write_page', { page: 'Plan', body: 'x', expected_last_modified: 1 }), 'not_found');
  expectCode(await call('delete_page', { page: 'Plan' }), 'not_found', {
    path: 'Plan.md',
    candidates: PATH,
    remediation: expect.stringContaining(PATH),
  });
  expect(expectOk(await call('create_page', { page: 'Plan', body: 'x' })).json.path).toBe('Plan.md');
  expect(await fileText(folder, PATH)).toBe(PAGES[PATH]);
});

test('what can mean several pages, or none, is missing as documented', async () => {
  const { call } = await withPages(PAGES);
  expectCode(await call('read_page', { page: 'Same' }), 'not_found', {
    status: 404,
    message: 'Not found: Same.md',
    candidates: 'a/Same.md, b/Same.md',
  });
  expectOk(await call('delete_page', { page: 'a/Same' }));
  expect((await call('read_page', { page: 'Same' })).json).toMatchObject({ path: 'b/Same.md' });
  expectCode(await call('read_page', { page: 'nothing of the kind' }), 'not_found', {
    message: 'Not found: nothing of the kind.md',
    path: 'nothing of the kind.md',
  });
});

test('answers have addresses that open the pages, if wanted', async () => {
  const { call } = await withPages(PAGES, { openLinks: true });
  const url = expect.stringMatching(/^obsidian:\/\/open\?vault=[^&]+&file=projects%2FPlan\.md$/);
  expect((await call('read_page', { page: 'Plan' })).json).toMatchObject({ path: PATH, url });
  expect((await call('search_pages', { query: 'heating' })).json.hits).toMatchObject([{ url }]);
  const without = await withPages(PAGES);
  expect((await without.call('search_pages', { query: 'heating' })).text).not.toContain('url');
});
