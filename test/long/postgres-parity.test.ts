/** Every tool of every surface, on a notebook in PostgreSQL and on a folder with the same notes: the same answers. */
import { execFile } from 'node:child_process';
import { cp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { describeWith } from '../kit/needs.ts';
import { EXAMPLE_NOTES } from '../kit/pinned-tools.ts';
import { postgresNeed } from '../kit/postgres.ts';
import { freshNotebook } from '../kit/postgres-notes.ts';
import { BINARY, type ServerProcess, startProgram } from '../kit/server.ts';
import { CLEAN_ENVIRONMENT, temporaryFolder } from '../kit/temp.ts';

const run = promisify(execFile);

const CANVAS = JSON.stringify({
  nodes: [{ id: 'n1', type: 'file', file: 'api.md', x: 0, y: 0, width: 9, height: 9 }],
  edges: [],
});
const NOTES: Readonly<Record<string, string | Uint8Array>> = {
  ...EXAMPLE_NOTES,
  'Inbox.md':
    '# Inbox\n\n- [ ] call the plumber 📅 2026-12-01 #home\n- [ ] pay the bank (due: 2026-11-30) @kim\n\n## Next\n\nSee [[plan]] and [old](old.md) and [[missing note]].\n',
  'Home.md': '# Home\n\n## Next\n\n- [ ] paint [[Inbox#Next]]\n',
  'tags.md': '---\ntags: [project/a, todo]\naliases: [Labels]\n---\n# Tags\n\n#todo ![[projects/plan.png]]\n',
  'projects/plan.png': Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0, 0xff),
  'map.canvas': CANVAS,
  'books.base':
    'filters:\n  and:\n    - status == "open"\nviews:\n  - type: table\n    name: To read\n    order: [file.name]\n',
  'meetings/2026-11-12.md':
    '# Meeting\n\nDecision: we use PostgreSQL as the database.\n\nAction: Kim sends the contract by 2026-12-01.\n',
  'Ünïcode/Größe Straße.md': '# Größe\r\n\r\nSome [[Labels]] text\r\n',
  'empty.md': '',
  'lease.md': '# Lease\n\nThe lease of the office ends on 2027-03-31.\n',
  'bad.md': Uint8Array.of(0x23, 0x20, 0xff, 0xfe, 0x0a),
  'A.md': 'case differs\n',
};

type Call = readonly [tool: string, args?: Record<string, unknown>];

const READS: readonly Call[] = [
  ['team_read_note', { path: 'projects/plan.md' }],
  ['team_read_note', { path: 'nothing.md' }],
  ['team_read_note', { path: 'bad.md' }],
  ['team_read_note', { path: '.obsidian/app.json' }],
  ['team_read_note', { path: 'U\u0308ni\u0308code/Gro\u0308ße Straße.md' }],
  ['team_list_directory'],
  ['team_list_directory', { path: 'Projects' }],
  ['team_search_notes', { query: 'größe' }],
  ['team_search_notes', { query: 'text', tag: 'todo' }],
  ['team_read_multiple_notes', { paths: ['a.md', 'none.md'] }],
  ['team_get_frontmatter', { path: 'projects/plan.md' }],
  ['team_get_notes_info', { paths: ['a.md', 'none.md'] }],
  ['team_get_links', { path: 'plan.md' }],
  ['team_find_broken_links'],
  ['team_find_orphans'],
  ['team_explore_links', { path: 'Inbox.md' }],
  ['team_list_tags', { nested: 'tree' }],
  ['team_find_by_tags', { expression: 'todo AND NOT done' }],
  ['team_list_tasks', { state: 'open' }],
  ['team_query_notes', { where: { 'file.folder': 'projects' }, columns: ['file.size', 'file.links'] }],
  ['team_read_base', { path: 'books.base' }],
  ['team_get_outline', { path: 'Inbox.md' }],
  ['team_read_section', { path: 'Inbox.md', heading: 'Next' }],
  ['team_get_periodic_note', { period: 'week', date: '2026-11-17' }],
  ['team_list_files'],
  ['team_read_file', { path: 'projects/plan.png' }],
  ['team_read_canvas', { path: 'map.canvas' }],
  ['team_vault_info'],
  ['team_search', { query: 'heating controller' }],
  ['team_fetch', { id: 'api.md' }],
  ['vault_vault_list_all'],
  ['vault_vault_list', { path: '/projects' }],
  ['vault_vault_read', { path: 'projects' }],
  ['vault_vault_read', { path: 'api.md' }],
  ['vault_vault_search', { query: 'heating controller' }],
  ['pages_list_pages'],
  ['pages_read_page', { page: 'plan' }],
  ['pages_search_pages', { query: 'plumber' }],
  ['pages_backlinks', { page: 'plan' }],
  ['pages_list_tasks'],
  ['pages_list_attachments'],
  ['pages_read_attachment', { path: 'projects/plan.png' }],
];

const CHANGES: readonly Call[] = [
  ['team_write_note', { path: 'daily/2026-01-15.md', content: '# Log', mode: 'append' }],
  ['team_write_note', { path: 'CON.md', content: 'x' }],
  ['team_write_note', { path: 'INBOX.md', content: 'x' }],
  ['team_write_note', { path: 'api.md', content: 'x', expectedVersion: 'wrong' }],
  ['team_patch_note', { path: 'api.md', oldString: 'status: draft', newString: 'status: done' }],
  ['team_update_frontmatter', { path: 'plan.md', frontmatter: { status: 'done' } }],
  ['team_manage_tags', { path: 'plan.md', operation: 'add', tags: ['urgent'] }],
  ['team_move_note', { oldPath: 'plan.md', newPath: 'archive/The plan.md' }],
  ['team_read_note', { path: 'Inbox.md' }],
  ['team_move_note', { oldPath: 'a.md', newPath: 'b.md' }],
  ['team_move_note', { oldPath: 'a.md', newPath: 'b.md', overwrite: true }],
  ['team_move_note', { oldPath: 'b.md', newPath: 'B.md' }],
  ['team_delete_note', { path: 'old.md', confirmPath: 'old.md' }],
  ['team_delete_note', { path: 'old.md', confirmPath: 'old.md' }],
  ['team_restore_note', { path: 'old.md' }],
  ['team_rename_tag', { from: 'todo', to: 'task/open' }],
  ['team_check_task', { path: 'Inbox.md', text: 'call the plumber' }],
  ['team_add_task', { path: 'Inbox.md', text: 'new task', due: '2026-11-20' }],
  ['team_change_task', { path: 'Inbox.md', text: 'new task', priority: 'high' }],
  ['team_move_task', { path: 'Inbox.md', text: 'new task', to: 'Home.md' }],
  ['team_edit_section', { path: 'projects/plan.md', heading: 'Plan', mode: 'append', content: 'more' }],
  ['team_append_to_periodic_note', { content: '- called', date: '2026-11-16' }],
  ['team_create_periodic_note', { period: 'week', date: '2026-11-17' }],
  ['team_edit_canvas', { path: 'map.canvas', nodes: [{ id: 'a', type: 'text', text: 'Idea' }] }],
  ['team_move_folder', { folder: 'projects', to: 'archive/projects' }],
  ['team_move_folder', { folder: 'meetings', to: 'archive' }],
  ['vault_vault_write', { path: 'data.json', content: '{}' }],
  ['vault_vault_write', { path: 'w/new.md', content: 'x', create_dirs: false }],
  ['vault_vault_edit', { path: 'api.md', old_text: 'Notes on', new_text: 'Words on' }],
  ['pages_create_page', { page: 'pg/new', body: 'hello' }],
  ['pages_write_page', { page: 'pg/new', body: 'x', expected_last_modified: 1 }],
  ['pages_append_to_page', { page: 'pg/new', content: 'more' }],
  ['pages_prepend_to_page', { page: 'pg/new', content: 'first' }],
  ['pages_edit_page', { page: 'pg/new', edits: [{ old_text: 'hello', new_text: 'hallo' }] }],
  ['pages_add_task', { page: 'Home', text: 'water plants' }],
  ['pages_check_task', { page: 'Home', text: 'water plants' }],
  ['pages_move_page', { from: 'pg/new', to: 'pg/newer' }],
  ['pages_rename_page', { from: 'lease', to: 'contracts/lease' }],
  ['pages_delete_page', { page: 'pg/newer' }],
  ['pages_list_trash'],
  ['pages_restore_page', { page: 'pg/newer' }],
  ['team_list_trash'],
  ['team_empty_trash', { older_than_days: 30 }],
  ['team_list_changes', { limit: 100 }],
  ['team_list_proposals'],
  ['team_undo_changes', { since: '1h' }],
  ['vault_vault_list_all'],
];

/** Of an entry that is not there, whose number no two histories share. */
const BY_ID = ['show_change', 'list_changes', 'list_proposals', 'undo_changes'];

const BRAIN: readonly Call[] = [
  ['sb_recall', { query: 'database decision' }],
  ['sb_ask', { question: 'When does the lease end?' }],
  ['sb_grounded_answer', { question: 'When does the lease end?' }],
  ['sb_open_loops'],
  ['sb_decision_extract', { query: 'database' }],
  ['sb_meeting_extract', { source_path: 'team/meetings/2026-11-12.md' }],
  ['sb_pack', { intent: 'plan the lease of the office', token_budget: 1000 }],
  ['sb_ingest', { content: '# Call with the bank\nText', title: 'Call with the bank', dest: 'inbox' }],
];

const WATCH_MS = 700;

/** Without what no two notebooks share: moments, numbers of changes, and the kind of store. */
function comparable(text: string): string {
  return (
    text
      .replaceAll(/\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?Z?/g, 'MOMENT')
      .replaceAll(/\b1[789]\d{11}\b/g, 'MOMENT')
      .replaceAll(/\b[gp]?01[0-9a-hj-km-np-tv-z]{14}\b/g, 'ID')
      .replaceAll(/\bcp_[0-9A-Z]{26}\b/g, 'ID')
      .replaceAll(/\\"store\\":\\"\w+\\"/g, 'STORE')
      // The order of notes that were written in the same moment.
      .replaceAll(/\\"recent\\":\[.*?\]/g, 'RECENT')
  );
}

async function begin() {
  const place = await freshNotebook();
  const original = await temporaryFolder(NOTES);
  const root = await temporaryFolder();
  const folder = join(root, 'notes');
  await cp(original, folder, { recursive: true, preserveTimestamps: true });
  const env = { ...CLEAN_ENVIRONMENT, NOTES_URL: place.url };
  const fileOf = async (name: string, at: string) => {
    const file = join(root, `${name}.yaml`);
    const one = (settings: string) => `{ ${at}, overwrite: free, ${settings} }`;
    const books = [
      `  team: ${one('toolSets: all, emptyTrash: true')}`,
      `  vault: ${one('tools: vault')}`,
      `  pages: ${one('tools: pages, extended: true')}`,
    ];
    await writeFile(file, `notebooks:\n${books.join('\n')}\nstate: { dir: ${join(root, name)} }\n`);
    await writeFile(join(root, `${name}-brain.yaml`), `notebooks:\n  team: { ${at} }\n`);
    return file;
  };
  const files = {
    postgres: await fileOf('postgres', `postgres: "\${env:NOTES_URL}", schema: ${place.schema}`),
    folder: await fileOf('folder', `folder: ${folder}`),
  };
  const quire = (...args: string[]) =>
    run(process.execPath, [BINARY, ...args, '--config', files.postgres], { env });
  await quire('import', folder, '--to', 'team');
  const start = (name: keyof typeof files, ...args: string[]) =>
    startProgram([...args, '--log-level', 'error'], {
      env: {
        NOTES_URL: place.url,
        XDG_STATE_HOME: join(root, name),
        XDG_CACHE_HOME: join(root, name, 'cache'),
      },
    });
  return { original, root, files, quire, start };
}

async function expectSame(
  [one, other]: readonly [ServerProcess, ServerProcess],
  calls: readonly Call[],
): Promise<void> {
  let before = '';
  for (const [tool, args = {}] of calls) {
    // Each notebook over the folder watches it: a change through another one is noticed in a moment.
    const notebook = tool.split('_')[0] ?? '';
    if (before !== '' && notebook !== before) await sleep(WATCH_MS);
    before = notebook;
    const ask = async (server: ServerProcess) => {
      const { isError, content } = await server.call(tool, args);
      return comparable(JSON.stringify({ isError, content }));
    };
    expect(await ask(one), `${tool} ${JSON.stringify(args)}`).toBe(await ask(other));
  }
}

describeWith(postgresNeed, 'a notebook in PostgreSQL and a folder', () => {
  test('answer every tool of notes alike, and are the same bytes after all is undone', async () => {
    const { original, root, files, quire, start } = await begin();
    const servers = [
      await start('postgres', '--config', files.postgres),
      await start('folder', '--config', files.folder),
    ] as const;
    const names = await Promise.all(
      servers.map(async ({ client }) => (await client.listTools()).tools.map(({ name }) => name)),
    );
    expect(names[0]).toEqual(names[1]);
    const called = new Set([...READS, ...CHANGES].map(([tool]) => tool));
    const left = names[0]!.filter((name) => !called.has(name) && !BY_ID.some((end) => name.endsWith(end)));
    expect(left).toEqual([]);
    await expectSame(servers, READS);
    await expectSame(servers, CHANGES);
    const [resources, others] = await Promise.all(servers.map(({ client }) => client.listResources()));
    expect(comparable(JSON.stringify(resources))).toBe(comparable(JSON.stringify(others)));
    await quire('export', 'team', '--to', join(root, 'copy'));
    await run('diff', ['-r', original, join(root, 'copy')]);
  });

  test('answer every tool of the second brain alike', async () => {
    const { root, start } = await begin();
    const servers = [
      await start('postgres', 'brain', '--config', join(root, 'postgres-brain.yaml')),
      await start('folder', 'brain', '--config', join(root, 'folder-brain.yaml')),
    ] as const;
    const { tools } = await servers[0].client.listTools();
    expect(tools.map(({ name }) => name).sort()).toEqual(BRAIN.map(([tool]) => tool).sort());
    await expectSame(servers, BRAIN);
  });
});
