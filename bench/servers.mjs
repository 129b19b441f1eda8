// The servers measured side by side: how each is started and how each is asked for the same thing.
// `find` names the script inside a folder where the peer was installed from npm.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const quire = fileURLToPath(new URL('../dist/quire.cjs', import.meta.url));

const SERVERS = [
  {
    name: 'quire',
    script: quire,
    args: (vault) => [vault],
    read: (path) => ['read_note', { path }],
    write: (path, content) => ['write_note', { path, content }],
    edit: (path, from, to) => ['patch_note', { path, oldString: from, newString: to }],
    search: (query) => ['search_notes', { query, limit: 20 }],
  },
  {
    name: 'mcpvault',
    find: '@bitbonsai/mcpvault/dist/server.js',
    args: (vault) => [vault],
    read: (path) => ['read_note', { path }],
    write: (path, content) => ['write_note', { path, content }],
    edit: (path, from, to) => ['patch_note', { path, oldString: from, newString: to }],
    search: (query) => ['search_notes', { query, limit: 20 }],
  },
  {
    name: 'server-filesystem',
    find: '@modelcontextprotocol/server-filesystem/dist/index.js',
    args: (vault) => [vault],
    read: (path, vault) => ['read_text_file', { path: join(vault, path) }],
    write: (path, content, vault) => ['write_file', { path: join(vault, path), content }],
    edit: (path, from, to, vault) => [
      'edit_file',
      { path: join(vault, path), edits: [{ oldText: from, newText: to }] },
    ],
  },
  {
    name: 'obsidian-mcp',
    find: 'obsidian-mcp/dist/main.js',
    node: 22,
    args: (vault) => ['serve', '--vault', `notes=${vault}`, '--log-level', 'error'],
    read: (path) => ['obsidian_read_note', { vault: 'notes', path }],
    write: (path, content) => ['obsidian_create_note', { vault: 'notes', path, content }],
    search: (query) => ['obsidian_search_vault', { vault: 'notes', query, mode: 'both', limit: 20 }],
  },
];

/** Those of the list that can run here: Quire, and the peers found below `folder`. */
export function availableServers(folder) {
  const nodeAt = (major) => (major && folder ? join(folder, 'node_modules/node/bin/node') : process.execPath);
  return SERVERS.map((server) => ({
    ...server,
    script: server.script ?? (folder ? join(folder, 'node_modules', server.find) : ''),
    command: nodeAt(server.node),
  })).filter(({ script, command }) => existsSync(script) && existsSync(command));
}
