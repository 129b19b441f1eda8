// The servers measured side by side: how each is started and how each is asked for the same thing.
// `find` names the script inside a folder where the peer was installed from npm, `release` the first version that has it.
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { complain } from './turns.mjs';

const quire = fileURLToPath(new URL('../dist/quire.cjs', import.meta.url));
const pathsInJson = ({ result }) => JSON.parse(result.content[0].text).map(({ p }) => p);
const lexical = (query) => ['query', { searches: [{ type: 'lex', query }], limit: 20, rerank: false }];

const SERVERS = [
  {
    name: 'quire',
    script: quire,
    args: (vault) => [vault],
    read: (path) => ['read_note', { path }],
    write: (path, content) => ['write_note', { path, content }],
    edit: (path, from, to) => ['patch_note', { path, oldString: from, newString: to }],
    search: (query) => ['search_notes', { query, limit: 20 }],
    ranking: pathsInJson,
    // A search by meaning says so while there is something to index, or to learn from the notes.
    searchWhileLearning: () => ['search_notes', { query: 'zephyrquagga', mode: 'meaning', limit: 1 }],
    isLearning: ({ text }) => text.includes('still being'),
    tellsWhenIndexed: { env: { QUIRE_LOG: 'info' }, message: 'indexed', fromNotes: 1000 },
    // The server saves its index before it exits.
    stopMs: 60_000,
  },
  {
    name: 'mcpvault',
    find: '@bitbonsai/mcpvault/dist/server.js',
    args: (vault) => [vault],
    read: (path) => ['read_note', { path }],
    write: (path, content) => ['write_note', { path, content }],
    edit: (path, from, to) => ['patch_note', { path, oldString: from, newString: to }],
    search: (query) => ['search_notes', { query, limit: 20 }],
    ranking: pathsInJson,
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
    release: 2,
    node: 22,
    args: (vault) => ['serve', '--vault', `notes=${vault}`, '--log-level', 'error'],
    read: (path) => ['obsidian_read_note', { vault: 'notes', path }],
    write: (path, content) => ['obsidian_create_note', { vault: 'notes', path, content }],
    search: (query) => ['obsidian_search_vault', { vault: 'notes', query, mode: 'both', limit: 20 }],
    leaves: ['.obsidian-mcp'],
    wants: ['.obsidian'],
  },
  {
    name: 'qmd',
    find: '@tobilu/qmd/dist/cli/qmd.js',
    release: 2,
    node: 22,
    // Its index is built by a command of its own; searching by words needs no model.
    prepare: (vault) => ['collection', 'add', vault, '--name', 'notes', '--mask', '**/*.md'],
    args: () => ['mcp'],
    search: lexical,
    searchPhrase: (query) => lexical(`"${query}"`),
    ranking: ({ result }) => result.structuredContent.results.map(({ file }) => file),
  },
];

/** The servers of the list that can run here: Quire, and the peers found below `folder`. Says which are not. */
export function availableServers(folder) {
  const modules = folder && resolve(folder, 'node_modules');
  const nodeFor = ({ node }) => (node && modules ? join(modules, 'node/bin/node') : process.execPath);
  return SERVERS.map((server) => ({
    ...server,
    script: server.script ?? (modules ? join(modules, server.find) : ''),
    command: nodeFor(server),
  })).filter((server) => {
    const { name, script, command, node } = server;
    const missing = [script, command].find((file) => !existsSync(file));
    if (missing === undefined) return true;
    const needed = missing === script ? packageOf(server) : `node@${node}`;
    if (modules) complain(name, `skipped, because ${missing} is not there: run npm i ${needed} in ${folder}`);
    return false;
  });
}

/** What npm is told to install, such as `@tobilu/qmd@2`. */
function packageOf({ find, release }) {
  const name = find.slice(0, find.indexOf('/dist/'));
  return release === undefined ? name : `${name}@${release}`;
}
