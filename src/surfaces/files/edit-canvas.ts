import * as z from 'zod';
import { parseCanvas } from '../../notes/canvas/canvas.ts';
import { type EditedCanvas, editCanvas as edit } from '../../notes/canvas/edit.ts';
import { findFile, missingFiles } from '../../notes/ops/file-listing.ts';
import { existing, updateNote } from '../../notes/ops/update-note.ts';
import { textOf } from '../../notes/text/text.ts';
import { AppError } from '../../shared/errors.ts';
import { defineTool } from '../shared/note-set.ts';
import { path as pathOf } from '../shared/parameters.ts';
import { isCanvas } from './read-canvas.ts';

const MOST = 100;
const MOST_CHARACTERS = 100_000;

const NODE_KEYS =
  'id type text file subpath url label background backgroundStyle x y width height color'.split(' ');
const EDGE_KEYS = 'id fromNode toNode fromSide toSide fromEnd toEnd label color'.split(' ');

const text = () => z.string().max(MOST_CHARACTERS, `longer than ${MOST_CHARACTERS} characters`);
const list = <Item extends z.ZodType>(item: Item) =>
  z.array(item).max(MOST, `at most ${MOST} at a time`).default([]);

/** The keys are in the description, which is many bytes shorter than a schema of each. */
const entries = (keys: readonly string[]) =>
  list(
    z.record(z.string(), z.unknown()).superRefine((entry, context) => {
      const say = (message: string) => context.addIssue({ code: 'custom', message });
      for (const [key, value] of Object.entries(entry)) {
        if (!keys.includes(key)) say(`unknown key "${key.slice(0, 40)}"; known: ${keys.join(', ')}`);
        else if (typeof value !== 'number' && typeof value !== 'string')
          say(`${key} must be a text or a number`);
        else if (String(value).length > MOST_CHARACTERS)
          say(`${key} is longer than ${MOST_CHARACTERS} characters`);
      }
    }),
  );

export const editCanvas = defineTool({
  name: 'edit_canvas',
  title: 'Edit canvas',
  description:
    'Add, change and remove nodes and edges of a .canvas file. An id that exists is changed in the keys given; else a node (type needed) or edge is added, with an id and a free place. Edges of a removed node go too. Example: {"path":"map.canvas","nodes":[{"id":"a","type":"text","text":"Idea"}]}',
  effect: 'write',
  input: () =>
    z.strictObject({
      path: pathOf('Path or name of a canvas'),
      nodes: entries(NODE_KEYS).describe(
        'id, type (text, file, link, group), text, file, url, label, x, y, width, height, color',
      ),
      edges: entries(EDGE_KEYS).describe(
        'id, fromNode, toNode, label, color, fromSide, toSide (top, right, bottom, left), fromEnd, toEnd (none, arrow)',
      ),
      remove: list(text().min(1, 'must not be empty')).describe('Ids of nodes and edges'),
      expected_version: z.string().max(200).optional().describe('version you read'),
    }),
  output: () =>
    z.object({
      path: z.string(),
      version: z.string(),
      added: z.array(z.string()),
      changed: z.array(z.string()),
      removed: z.array(z.string()),
      warning: z.string().optional(),
    }),
  async run({ path: given, nodes, edges, remove, expected_version: expected }, { backend, signal }) {
    const { files } = backend;
    const path = await findFile(files, given, isCanvas);
    if (nodes.length + edges.length + remove.length === 0)
      throw new AppError('invalid_input', 'Nothing to change', { hint: 'Give nodes, edges or remove.' });
    let result: (EditedCanvas & { version: string }) | undefined;
    const written = await updateNote(
      files,
      path,
      async (current) => {
        const file = existing(path, current);
        if (expected !== undefined && expected !== file.version)
          throw new AppError('conflict', 'The canvas changed since you read it', {
            subject: path,
            hint: 'Nothing was changed. Read it again with read_canvas.',
          });
        const before = textOf(file);
        result = {
          ...edit(path, before, { setNodes: nodes, setEdges: edges, remove }),
          version: file.version,
        };
        return result.text === before ? undefined : result.text;
      },
      signal,
    );
    const { added, changed, removed, version, text: after } = result!;
    const touched = new Set([...added, ...changed]);
    const shown = parseCanvas(path, after).nodes.flatMap(({ id, file }) =>
      touched.has(id) && typeof file === 'string' ? file : [],
    );
    const broken = [...(await missingFiles(files, shown))];
    return {
      value: {
        path,
        version: written?.version ?? version,
        added,
        changed,
        removed,
        warning: broken.length > 0 ? `No such file: ${broken.join(', ')}.` : undefined,
      },
      facts: { path },
    };
  },
});
