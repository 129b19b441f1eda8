/** `npm run tour`: starts the real server on the sample notes, asks it what an assistant would, shows the answers, undoes its changes. */
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

const client = new Client({ name: 'quire-tour', version: '1' }, { versionNegotiation: { mode: 'auto' } });
await client.connect(
  new StdioClientTransport({
    command: process.execPath,
    args: [here('dist/quire.cjs'), here('examples/notes'), '--tools', 'notebook,history'],
  }),
);
const show = async (why: string, tool: string, args: Record<string, unknown>) => {
  const result = await client.callTool({ name: tool, arguments: args });
  say(`\n» ${why}\n  ${tool} ${JSON.stringify(args)}`);
  for (const block of result.content) if (block.type === 'text') say(block.text.replace(/^/gm, '  ← '));
  const [first] = result.content;
  return first?.type === 'text' && !result.isError ? JSON.parse(first.text) : undefined;
};
/** The sample notes end as they began; the history keeps what happened to them. */
const undoAll = async () => {
  const listed = await show('What have I changed?', 'list_changes', { by: 'quire-tour', limit: 1 });
  const [newest] = (listed?.changes ?? []) as { group: string; undoneBy?: string }[];
  if (newest) await show('Undo all of it.', 'undo_changes', { id: newest.group });
};
try {
  const { tools } = await client.listTools();
  say(`Quire serves examples/notes over stdio (MCP ${client.getNegotiatedProtocolVersion()}).`);
  say(`An assistant sees ${tools.length} tools: ${tools.map((tool) => tool.name).join(', ')}.`);
  for (const { why, tool, args } of steps) await show(why, tool, args);
} finally {
  await undoAll();
  await client.close();
}
say('\nThe history keeps all of it: npm start, open the link that it prints, and look at Activity.');
say("To use it with your own notes, see README.md: one entry in your client's configuration.");
