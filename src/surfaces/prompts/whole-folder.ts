/** Many notes at once: what a folder says, and which notes say the same. */
import { findNote } from '../../notes/ops/find-note.ts';
import { type NotePath, parseFolderPath, stemOf } from '../../notes/path.ts';
import type { NoteEntry } from '../../notes/searcher.ts';
import { fold } from '../../notes/text/fold.ts';
import { asked, chosenNotes, data, type NotePrompt, noteLine, type PromptContext } from './prompt.ts';

export const summarizeFolder: NotePrompt = {
  name: 'summarize_folder',
  title: 'Summarize a folder',
  description: 'What the notes of a folder say, with the note behind each statement',
  takes: ['folder', 'tag'],
  needs: 'folder',
  async messages(context) {
    const notes = [...(await chosenNotes(context))].sort((a, b) => b.lastModified - a.lastModified);
    const read = context.tool('read_multiple_notes', 'read_note', 'vault_read', 'read_page');
    const search = context.tool('search_notes', 'vault_search', 'search_pages');
    const write = context.tool('write_note', 'vault_write', 'create_page');
    return [
      asked(
        [
          `Summarize what my notes below this folder say: ${data('folder', [context.args.folder!])}`,
          `Its ${notes.length} notes (path, title, day, tags), the newest first:\n${data('notes', notes.map(noteLine))}`,
        ],
        [
          `Read them with ${read ?? 'the tool that reads notes'}, several at a time; of very many, those whose titles matter most${search ? `, and find more with ${search}` : ''}. Say which you left out.`,
          'Summarize by subject, with the path of the note behind every statement; then what the notes contradict each other in, and what is open.',
          write
            ? `Change nothing yet. Ask me whether to keep the summary; if I say yes, write it with ${write} to a new note.`
            : 'Change nothing.',
        ],
      ),
    ];
  },
};

export const findDuplicates: NotePrompt = {
  name: 'find_duplicates',
  title: 'Find duplicates',
  description: 'Notes that say the same: of one note, of a folder, or of all',
  takes: ['path', 'folder'],
  async messages(context) {
    const { args, backend, signal, tool } = context;
    const about = args.path === undefined ? undefined : await findNote(backend, args.path, { signal });
    const alike = about === undefined ? sameNames(await chosenNotes(context)) : await near(context, about);
    const read =
      tool('read_multiple_notes', 'read_note', 'vault_read', 'read_page') ?? 'the tool that reads notes';
    const search = tool('search_notes', 'vault_search', 'search_pages') ?? 'the search tool';
    const move = tool('move_note', 'move_page', 'rename_page');
    const remove = tool('delete_note', 'delete_page');
    return [
      asked(
        [
          about === undefined
            ? 'Find notes of mine that say the same.'
            : `Find notes of mine that say the same as this one: ${data('path', [about])}`,
          about === undefined
            ? `Notes with the same title or name, one group a line:\n${data('groups', alike)}`
            : `Notes that are nearest to it, by the words of its title:\n${data('notes', alike)}`,
        ],
        [
          `Look for more with ${search}: the titles, and telling sentences of the notes${search.includes('search_notes') ? ' (mode "meaning" finds other words for the same)' : ''}.`,
          `Read the candidates with ${read} and compare them: the same text, the same subject, or only the same name.`,
          'List each group: which note to keep and why, and what of the others is missing there.',
          remove
            ? `Change nothing yet. When I agree, first bring what is missing into the note that stays, then let links follow${move ? ` (${move} updates them)` : ''}, and only then delete the others with ${remove}, one by one.`
            : 'Change nothing.',
        ],
      ),
    ];
  },
};

const MOST_NEAR = 20;

async function near({ backend, args, signal }: PromptContext, about: NotePath): Promise<string[]> {
  const notes = await backend.searcher.notes({ signal });
  const entry = notes.find(({ path }) => path === about);
  const request = { query: entry?.title ?? stemOf(about), mode: 'meaning', withExcerpts: false } as const;
  const filter = args.folder === undefined ? undefined : { under: parseFolderPath(args.folder) };
  const { hits } = await backend.searcher.search({ ...request, filter, limit: MOST_NEAR + 1 }, { signal });
  const byPath = new Map(notes.map((note) => [note.path, note]));
  return hits.flatMap(({ path }) => {
    const note = path === about ? undefined : byPath.get(path);
    return note ? [noteLine(note)] : [];
  });
}

/** Groups of paths, the largest first. */
function sameNames(notes: readonly NoteEntry[]): string[] {
  const groups = new Map<string, Set<NotePath>>();
  const key = (name: string) => fold(name, { ignoreCase: true, ignoreAccents: true }).text.trim();
  for (const { path, title } of notes)
    for (const name of new Set([key(title), key(stemOf(path))])) {
      const group = groups.get(name) ?? new Set();
      groups.set(name, group.add(path));
    }
  const several = [...groups.values()].filter(({ size }) => size > 1).sort((a, b) => b.size - a.size);
  return [...new Set(several.map((group) => [...group].join(' = ')))];
}
