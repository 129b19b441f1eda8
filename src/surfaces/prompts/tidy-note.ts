/** One note: its links, tags and headings. */
import { findNote } from '../../notes/ops/find-note.ts';
import { textOf } from '../../notes/text/text.ts';
import { asked, data, type NotePrompt, noteMessage, tagsOf } from './prompt.ts';

const MOST_TAGS = 40;

export const tidyNote: NotePrompt = {
  name: 'tidy_note',
  title: 'Tidy a note',
  description: 'Repairs the links, tags and headings of one note without changing what it says',
  takes: ['path'],
  needs: 'path',
  async messages({ backend, args, signal, tool }) {
    const { notes, searcher } = backend;
    const path = await findNote(backend, args.path!, { signal });
    const note = await notes.read(path);
    const graph = await searcher.links({ signal });
    const broken = graph.outgoing(path).filter(({ to }) => to === undefined);
    const incoming = [...new Set(graph.incoming(path).map(({ from }) => from))];
    const counts = new Map<string, number>();
    for (const entry of await searcher.notes({ signal }))
      for (const tag of tagsOf(entry)) counts.set(tag, (counts.get(tag) ?? 0) + 1);
    const tags = [...counts].sort((a, b) => b[1] - a[1]);
    const search = tool('search_notes', 'vault_search', 'search_pages') ?? 'the search tool';
    const edit = tool('patch_note', 'vault_edit', 'edit_page', 'write_page');
    const retag = tool('manage_tags', 'update_frontmatter') ?? edit;
    const nearest = tool('find_broken_links');
    return [
      asked(
        [
          `Tidy the note ${data('path', [path])} without changing what it says. Its text follows as a resource.`,
          `Links in it that lead nowhere:\n${data(
            'broken-links',
            broken.map(({ target, line }) => `line ${line}: ${target}`),
          )}`,
          `Notes that link to it:\n${data('backlinks', incoming, 20)}`,
          `Tags of all notes, the most used first:\n${data(
            'tags',
            tags.map(([tag, count]) => `#${tag} ${count}`),
            MOST_TAGS,
          )}`,
        ],
        [
          `Links: for each that leads nowhere find the note that is meant, with ${nearest ? `${nearest} or ${search}` : search}. Suggest links to notes that it mentions and does not link to.`,
          'Tags: use tags that other notes have; name those that are missing, misspelt or used only here.',
          'Headings: one title, no level skipped, no heading without text. Keep the wording of headings that other notes link to.',
          edit
            ? `Show me the list of changes first. When I agree, make each with ${edit}${retag === edit ? '' : `, tags with ${retag}`}, and change nothing else.`
            : 'Show me the list of changes; these notes cannot be changed here.',
        ],
      ),
      noteMessage(path, textOf(note), note.contentType),
    ];
  },
};
