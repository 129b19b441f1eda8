/** Every tool definition as clients see it, pinned. A wanted change is written with `npm run snaps`. */
import { readdir } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import type { Surface } from '../src/mcp/tool.ts';
import { definitionOf } from '../src/mcp/tool-list.ts';
import { brainSurface } from '../src/surfaces/brain/surface.ts';
import { notebookSurface } from '../src/surfaces/notebook/surface.ts';
import { furtherPagesSurface, pagesSurface } from '../src/surfaces/pages/surface.ts';
import { triliumSurface } from '../src/surfaces/trilium/surface.ts';
import { vaultSurface } from '../src/surfaces/vault/surface.ts';

/** Exactly these tools, in this order. */
const OFFERED: Record<string, string[]> = {
  notebook: [
    'read_note',
    'write_note',
    'patch_note',
    'delete_note',
    'move_note',
    'list_directory',
    'search_notes',
    'read_multiple_notes',
    'get_frontmatter',
    'update_frontmatter',
    'get_notes_info',
    'manage_tags',
  ],
  pages: [
    'list_pages',
    'read_page',
    'search_pages',
    'create_page',
    'write_page',
    'append_to_page',
    'prepend_to_page',
    'delete_page',
    'move_page',
  ],
  'pages-extended': [
    'edit_page',
    'list_tasks',
    'check_task',
    'add_task',
    'backlinks',
    'rename_page',
    'list_attachments',
    'read_attachment',
    'list_trash',
    'restore_page',
  ],
  trilium: [
    'search_notes',
    'get_note_tree',
    'get_note',
    'get_note_history',
    'create_note',
    'write_note',
    'delete_note',
    'get_revisions',
    'get_attributes',
    'set_attribute',
    'delete_attribute',
    'get_attachment',
    'create_attachment',
    'write_attachment',
    'delete_attachment',
    'get_special_note',
    'organize_note',
    'create_revision',
    'manage_system',
  ],
  brain: [
    'sb_ask',
    'sb_ingest',
    'sb_pack',
    'sb_open_loops',
    'sb_decision_extract',
    'sb_grounded_answer',
    'sb_recall',
    'sb_meeting_extract',
    'search_local_context',
  ],
  vault: ['vault_list_all', 'vault_list', 'vault_read', 'vault_search', 'vault_write', 'vault_edit'],
};
const SURFACES = [
  notebookSurface,
  vaultSurface,
  pagesSurface,
  furtherPagesSurface,
  triliumSurface,
  brainSurface,
] as unknown as readonly Surface<never>[];

describe.each(SURFACES.map((surface) => [surface.id, surface] as const))('%s', (id, surface) => {
  it('offers exactly these tools, in this order', () => {
    expect(surface.tools.map(({ name }) => name)).toEqual(OFFERED[id]);
  });

  it.each(surface.tools.map((tool) => [tool.name, tool] as const))('%s', async (name, tool) => {
    const definition = `${JSON.stringify(definitionOf(tool), null, 2)}\n`;
    await expect(definition).toMatchFileSnapshot(`toolsnaps/${id}/${name}.json`);
  });

  it('has no snapshot of a tool that is gone', async () => {
    const files = await readdir(new URL(`toolsnaps/${id}/`, import.meta.url));
    expect(files.sort()).toEqual(surface.tools.map(({ name }) => `${name}.json`).sort());
  });
});
