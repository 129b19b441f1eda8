import * as z from 'zod';
import { vaultInfo as gather, type VaultInfo } from '../../notes/ops/vault-info.ts';
import { inTime } from '../shared/in-time.ts';
import { defineTool, type NoteSetBackend } from '../shared/note-set.ts';
import { warning, withWarnings } from '../shared/parameters.ts';

const MAX_BYTES = 1_900;
const LONGEST_NAME = 200;

const counted = () => z.record(z.string(), z.number());

export const vaultInfo = defineTool({
  name: 'vault_info',
  title: 'Vault info',
  description:
    'What is in this vault, in one small answer: how many notes and folders, latest changes, largest notes, most used folders, tags and properties, languages, and how far the index is. A good first call in a vault you do not know. Example: {}',
  effect: 'read',
  input: () => z.strictObject({}),
  output: () =>
    z.object({
      store: z.string(),
      index: z.object({ indexed: z.number(), pending: z.number(), unreadable: z.number() }),
      notes: z.number().optional(),
      other_files: z.number().optional(),
      folders: z.number().optional(),
      bytes: z.number().optional(),
      recent: z.array(z.unknown()).optional(),
      largest: z.array(z.unknown()).optional(),
      top_folders: counted().optional(),
      top_tags: counted().optional(),
      top_properties: counted().optional(),
      languages: counted().optional(),
      note: z.string().optional(),
      warning: warning(),
    }),
  async run(_, call) {
    const { backend } = call;
    const warned = withWarnings(call);
    const info = await inTime(gather(backend.searcher, warned.options));
    const state = { store: backend.kind, index: indexOf(backend) };
    if (!info)
      return { value: { ...state, note: 'The notes are still being indexed: ask again in a moment.' } };
    return { value: { ...state, ...shortened(viewOf(info)), ...warned.warning() } };
  },
});

function indexOf(backend: NoteSetBackend) {
  const { indexed, pending, unreadable } = backend.index();
  return { indexed, pending, unreadable };
}

function viewOf(info: VaultInfo) {
  const byName = (counts: readonly { readonly name: string; readonly notes: number }[]) =>
    counts.map(({ name, notes }) => [name, notes] as const);
  return {
    notes: info.notes,
    other_files: info.otherFiles > 0 ? info.otherFiles : undefined,
    folders: info.folders,
    bytes: info.size,
    recent: info.recent.map(({ path, lastModified }) => ({ path, modified: dayOf(lastModified) })),
    largest: info.largest.map(({ path, size }) => ({ path, bytes: size })),
    top_folders: byName(info.topFolders),
    top_tags: byName(info.topTags),
    top_properties: byName(info.topProperties),
    languages: info.languages.map(({ language, notes }) => [language, notes] as const),
  };
}

function dayOf(milliseconds: number): string {
  return new Date(milliseconds).toISOString().slice(0, 16).replace('T', ' ');
}

type Lists = Pick<
  ReturnType<typeof viewOf>,
  'recent' | 'largest' | 'top_folders' | 'top_tags' | 'top_properties' | 'languages'
>;

/** Without the last entries of the longest lists, until it is small. */
function shortened({
  recent,
  largest,
  top_folders,
  top_tags,
  top_properties,
  languages,
  ...counts
}: ReturnType<typeof viewOf>) {
  const lists: Lists = { recent, largest, top_folders, top_tags, top_properties, languages };
  const bytesOf = (value: unknown) => Buffer.byteLength(JSON.stringify(value));
  const isLong = ([first]: readonly unknown[]) => bytesOf(first ?? '') > LONGEST_NAME;
  for (const list of Object.values(lists)) while (isLong(list)) list.shift();
  while (bytesOf(lists) > MAX_BYTES - bytesOf(counts)) {
    const longest = Object.values(lists).reduce((a, b) => (bytesOf(a) >= bytesOf(b) ? a : b)) as unknown[];
    if (longest.length === 0) break;
    longest.pop();
  }
  return {
    ...counts,
    recent,
    largest,
    top_folders: Object.fromEntries(top_folders),
    top_tags: Object.fromEntries(top_tags),
    top_properties: Object.fromEntries(top_properties),
    languages: Object.fromEntries(languages),
  };
}
