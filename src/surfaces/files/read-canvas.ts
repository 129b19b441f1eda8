import * as z from 'zod';
import { type CanvasNode, edgeText, groupsAround, parseCanvas } from '../../notes/canvas/canvas.ts';
import { findFile, missingFiles } from '../../notes/ops/file-listing.ts';
import { extensionOf, type NotePath } from '../../notes/path.ts';
import { textOf } from '../../notes/text/text.ts';
import { continuation, limit, listPage } from '../shared/list-page.ts';
import { defineTool } from '../shared/note-set.ts';
import { cursor, path as pathOf } from '../shared/parameters.ts';

/** Longer texts of nodes are cut. */
const LONGEST_TEXT = 2_000;

export const isCanvas = (path: NotePath) => extensionOf(path) === '.canvas';

export const readCanvas = defineTool({
  name: 'read_canvas',
  title: 'Read canvas',
  description:
    'A .canvas file as nodes and edges: each node with id, type, its text, file or url, place (x, y, width, height) and the group it lies in (`in`); edges as "a -> b (label)" between ids. `broken`: the file of the node does not exist. Long texts are cut; `node` shows one node whole. Change it with edit_canvas. Example: {"path":"projects/map.canvas"}',
  effect: 'read',
  input: () =>
    z.strictObject({
      path: pathOf('Path or name of a canvas'),
      node: z.string().min(1, 'must not be empty').max(200).optional().describe('Id of one node'),
      limit: limit(100),
      cursor: cursor(),
    }),
  output: () =>
    z.object({
      path: z.string(),
      version: z.string(),
      total_nodes: z.number(),
      total_edges: z.number(),
      nodes: z.array(z.looseObject({ id: z.string(), type: z.string() })),
      edges: z.array(z.object({ id: z.string(), edge: z.string() })),
      problems: z.array(z.string()).optional(),
      ...continuation(),
    }),
  async run({ path: given, node: wanted, ...page }, { backend: { files } }) {
    const path = await findFile(files, given, isCanvas);
    const file = await files.read(path);
    const { nodes, edges, problems } = parseCanvas(path, textOf(file));
    const around = groupsAround(nodes);
    const missing = await missingFiles(
      files,
      nodes.flatMap(({ file }) => (typeof file === 'string' ? file : [])),
    );
    const entries = nodes
      .filter(({ id }) => wanted === undefined || id === wanted)
      .map((node) => nodeEntry(node, around.get(node.id), missing, wanted === undefined));
    const { shown, more } = listPage(entries, {
      ...page,
      tool: 'read_canvas',
      entries: 'Nodes',
      keyOf: ({ id }) => id,
    });
    // Edges stand on the page of the node that they lead from, and with one node all that touch it.
    const ids = new Set(shown.map(({ id }) => id));
    const touching = edges.filter(
      ({ fromNode, toNode }) => ids.has(fromNode) || (wanted !== undefined && ids.has(toNode)),
    );
    return {
      value: {
        path,
        version: file.version,
        total_nodes: nodes.length,
        total_edges: edges.length,
        nodes: shown,
        edges: touching.map((edge) => ({ id: edge.id, edge: edgeText(edge) })),
        problems: problems.length > 0 ? problems.slice(0, 20) : undefined,
        ...more,
      },
      note: { version: file.version },
    };
  },
});

function nodeEntry(node: CanvasNode, group: string | undefined, missing: ReadonlySet<string>, cuts: boolean) {
  const { id, type, x, y, width, height, color } = node;
  const text = typeof node.text === 'string' ? node.text : undefined;
  const isCut = cuts && text !== undefined && text.length > LONGEST_TEXT;
  const file = typeof node.file === 'string' ? node.file : undefined;
  return {
    id,
    type,
    text: isCut ? `${text.slice(0, LONGEST_TEXT)}…` : text,
    cut: isCut ? true : undefined,
    file,
    subpath: node.subpath,
    url: node.url,
    label: node.label,
    background: node.background,
    in: group,
    broken: file !== undefined && missing.has(file) ? true : undefined,
    x,
    y,
    width,
    height,
    color,
  };
}
