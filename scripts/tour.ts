/** `npm start`: starts the real server on the sample notebook, asks it what an assistant would, shows the answers, ends. */
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

const here = (path: string) => fileURLToPath(new URL(`../${path}`, import.meta.url));
const say = (text: string) => process.stdout.write(`${text}\n`);

const steps: { why: string; tool: string; args: Record<string, unknown> }[] = [
  { why: 'What is in this notebook?', tool: 'list_directory', args: {} },
  { why: 'Where did I write about watering?', tool: 'search_notes', args: { query: 'watering', limit: 3 } },
  { why: 'Open that note.', tool: 'read_note', args: { path: 'Garden/Tomatoes.md' } },
  {
    why: 'Tick off a task.',
    tool: 'patch_note',
    args: {
      path: 'Garden/Tomatoes.md',
      oldString: '- [ ] Stake the plants',
      newString: '- [x] Stake the plants',
    },
  },
  {
    why: 'Mark the note as done; every other byte stays.',
    tool: 'update_frontmatter',
    args: { path: 'Garden/Tomatoes.md', frontmatter: { status: 'done' } },
  },
  {
    why: 'Move it; links to it follow.',
    tool: 'move_note',
    args: { oldPath: 'Garden/Tomatoes.md', newPath: 'Archive/Tomatoes.md' },
  },
  { why: 'A mistake gets a clear answer.', tool: 'read_note', args: { path: 'Archive/Tomatos.md' } },
];

const notes = await mkdtemp(join(tmpdir(), 'quire-tour-'));
try {
  await cp(here('examples/notes'), notes, { recursive: true });
  const client = new Client({ name: 'quire-tour', version: '1' }, { versionNegotiation: { mode: 'auto' } });
  await client.connect(
    new StdioClientTransport({ command: process.execPath, args: [here('dist/quire.cjs'), notes] }),
  );
  const { tools } = await client.listTools();
  say(`Quire serves a copy of examples/notes over stdio (MCP ${client.getNegotiatedProtocolVersion()}).`);
  say(`An assistant sees ${tools.length} tools: ${tools.map((tool) => tool.name).join(', ')}.`);
  for (const { why, tool, args } of steps) {
    const result = await client.callTool({ name: tool, arguments: args });
    say(`\n» ${why}\n  ${tool} ${JSON.stringify(args)}`);
    for (const block of result.content) if (block.type === 'text') say(block.text.replace(/^/gm, '  ← '));
  }
  await client.close();
  say("\nTo use it with your own notes, see README.md: one entry in your client's configuration.");
} finally {
  await rm(notes, { recursive: true, force: true });
}
