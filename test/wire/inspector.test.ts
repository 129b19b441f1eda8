/** The MCP Inspector's command line as a foreign client: it lists and calls every tool of the built binary. */
import { execFile } from 'node:child_process';
import { cp } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { notebookSurface } from '../../src/surfaces/notebook/surface.ts';
import { BINARY } from '../kit/server.ts';
import { CLEAN_ENVIRONMENT, temporaryFolder } from '../kit/temp.ts';

const INSPECTOR = fileURLToPath(
  new URL(
    '../../node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js',
    import.meta.url,
  ),
);
const EXAMPLES = fileURLToPath(new URL('../../examples/notes', import.meta.url));

async function sampleNotes(): Promise<string> {
  const folder = await temporaryFolder();
  await cp(EXAMPLES, folder, { recursive: true });
  return folder;
}

async function inspect(
  folder: string,
  ...args: string[]
): Promise<{ tools?: { name: string }[]; isError?: boolean; content?: unknown[] }> {
  const home = await temporaryFolder();
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [INSPECTOR, '--cli', process.execPath, BINARY, folder, ...args],
    { env: { ...CLEAN_ENVIRONMENT, HOME: home }, timeout: 60_000 },
  );
  return JSON.parse(stdout);
}

const CALLS: readonly [string, Record<string, unknown>][] = [
  ['read_note', { path: 'Index.md' }],
  ['list_directory', { path: 'Garden' }],
  ['search_notes', { query: 'watering' }],
  ['read_multiple_notes', { paths: ['Index.md', 'nope.md'] }],
  ['get_frontmatter', { path: 'Garden/Plan.md' }],
  ['get_notes_info', { paths: ['Index.md'] }],
  ['write_note', { path: 'new/note.md', content: '# New' }],
  ['patch_note', { path: 'Garden/Tomatoes.md', oldString: 'Six plants', newString: 'Seven plants' }],
  ['update_frontmatter', { path: 'Projects/Bookshelf.md', frontmatter: { status: 'done' } }],
  ['manage_tags', { path: 'Daily/2026-05-02.md', operation: 'add', tags: ['seen'] }],
  ['move_note', { oldPath: 'Garden/Plan.md', newPath: 'Archive/Plan.md' }],
  ['delete_note', { path: 'Index.md', confirmPath: 'Index.md' }],
];

describe('the Inspector', () => {
  const names = notebookSurface.tools.map(({ name }) => name);

  it.each(['legacy', 'modern'])('lists every tool in the %s era, strictly', async (era) => {
    const { tools } = await inspect(
      await sampleNotes(),
      '--protocol-era',
      era,
      '--method',
      'tools/list',
      '--strict',
    );
    expect(tools?.map(({ name }) => name)).toEqual(names);
  });

  it('has a call for every tool', () => {
    expect(CALLS.map(([name]) => name).sort()).toEqual([...names].sort());
  });

  it.each(CALLS)('calls %s', async (name, args) => {
    const call = ['--method', 'tools/call', '--tool-name', name, '--tool-args-json', JSON.stringify(args)];
    const result = await inspect(await sampleNotes(), ...call);
    expect(result.isError).not.toBe(true);
    expect(result.content?.length).toBeGreaterThan(0);
  });
});
