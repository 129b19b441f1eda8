/** `quire tools`: the tool sets, their tools, and how many bytes of a model's context each takes. */
import type { Surface } from '../mcp/tool.ts';
import { definitionsOf } from '../mcp/tool-list.ts';
import { brainSurface } from '../surfaces/brain/surface.ts';
import { historySurface } from '../surfaces/history/surface.ts';
import { notebookSurface } from '../surfaces/notebook/surface.ts';
import { pagesSurface } from '../surfaces/pages/surface.ts';
import { triliumSurface } from '../surfaces/trilium/surface.ts';
import { vaultSurface } from '../surfaces/vault/surface.ts';
import { systemTerminal, viewOf } from './mcp/terminal.ts';
import { type Column, tableOf } from './table.ts';

interface SetRow {
  readonly set: string;
  /** Whether it is the set of a command, or one that stands beside any of them. */
  readonly kind: 'command' | 'further';
  readonly tools: readonly string[];
  /** Of the JSON of its definitions, which a client reads at every start. */
  readonly bytes: number;
}

const COLUMNS: readonly Column<SetRow>[] = [
  { title: 'SET', value: ({ set }) => set, priority: 3 },
  { title: 'BYTES', value: ({ bytes }) => String(bytes), priority: 2 },
  { title: 'TOOLS', value: ({ tools }) => tools.join(', '), priority: 1 },
];

const HINT =
  'The first five are the tools of quire <folder>, vault, silverbullet, trilium and brain. The others stand beside any of them but brain:\n' +
  '  quire ~/notes --tools notebook,links,tags     or, in quire.yaml,     toolSets: [links, tags]\n';

export async function listToolSets({ json }: { readonly json?: boolean }): Promise<void> {
  const terminal = systemTerminal();
  const rows = await setRows();
  if (json) return terminal.out(`${JSON.stringify(rows, null, 2)}\n`);
  const { lines } = tableOf(COLUMNS, rows, viewOf(terminal, false));
  await terminal.out(`${lines.join('\n')}\n\n${HINT}`);
}

async function setRows(): Promise<SetRow[]> {
  const own = [notebookSurface, vaultSurface, pagesSurface, triliumSurface, brainSurface];
  const { NOTE_SET_SURFACES } = await import('../app/note-sets.ts');
  const noteSets = await Promise.all(Object.values(NOTE_SET_SURFACES).map((load) => load()));
  const further = [historySurface, ...noteSets];
  return [
    ...own.map((surface) => rowOf(surface as Surface<never>, 'command')),
    ...further.map((surface) => rowOf(surface as Surface<never>, 'further')),
  ];
}

function rowOf(surface: Surface<never>, kind: SetRow['kind']): SetRow {
  const tools = definitionsOf(surface);
  const bytes = Buffer.byteLength(JSON.stringify({ tools }));
  return { set: surface.id, kind, tools: tools.map(({ name }) => name), bytes };
}
