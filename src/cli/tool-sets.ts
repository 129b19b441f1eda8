/** `quire tools`: the tool sets, their tools, and how many bytes of a model's context each takes. */
import { type ToolSetRow, toolSetRows } from '../app/tool-catalog.ts';
import { systemTerminal, viewOf } from './mcp/terminal.ts';
import { type Column, tableOf } from './table.ts';

const COLUMNS: readonly Column<ToolSetRow>[] = [
  { title: 'SET', value: ({ set }) => set, priority: 3 },
  { title: 'BYTES', value: ({ bytes }) => String(bytes), priority: 2 },
  { title: 'TOOLS', value: ({ tools }) => tools.join(', '), priority: 1 },
];

const HINT =
  'The first five are the tools of quire <folder>, vault, silverbullet, trilium and brain. The others stand beside any of them but brain:\n' +
  '  quire ~/notes --tools notebook,links,tags     or, in quire.yaml,     toolSets: [links, tags]\n';

export async function listToolSets({ json }: { readonly json?: boolean }): Promise<void> {
  const terminal = systemTerminal();
  const rows = await toolSetRows();
  if (json) return terminal.out(`${JSON.stringify(rows, null, 2)}\n`);
  const { lines } = tableOf(COLUMNS, rows, viewOf(terminal, false));
  await terminal.out(`${lines.join('\n')}\n\n${HINT}`);
}
