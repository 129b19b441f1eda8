/** Trilium on its worst day, for as long as is wished; its notes are served by the notebook tools. */
import { join } from 'node:path';
import { type ChaosParts, noteName, ownWord, survivesChaos } from '../kit/chaos.ts';
import { startProgram } from '../kit/server.ts';
import { temporaryFolder } from '../kit/temp.ts';
import { startTrilium, TOKEN } from '../kit/trilium/server.ts';

export async function triliumChaos({ seconds, seed }: Pick<ChaosParts, 'seconds' | 'seed'>): Promise<void> {
  const notes = 60;
  const fake = await startTrilium({
    notes: Array.from({ length: notes }, (_, n) => ({
      id: noteName(n),
      title: noteName(n),
      content: `<p>${ownWord(n)} and other words</p>`,
    })),
  });
  const folder = await temporaryFolder({
    'quire.yaml': `notebooks:\n  notes:\n    tools: notebook\n    trilium:\n      url: ${fake.url}\n      token: "${TOKEN}"\n`,
  });
  const env = { XDG_CACHE_HOME: await temporaryFolder() };
  await survivesChaos({
    notes,
    seconds,
    seed,
    trouble: (fate) => {
      fake.faults.fate = fate;
    },
    slow: (latencyMs) => {
      fake.faults.latencyMs = latencyMs;
    },
    start: async () => {
      const args = ['--config', join(folder, 'quire.yaml'), '--log-level', 'error'];
      const { call, pid } = await startProgram(args, { env });
      return {
        pid,
        search: (word) => call('search_notes', { query: word }),
        write: (name, text) => call('write_note', { path: `${name}.md`, content: text }),
      };
    },
    names: ({ structured }, name) =>
      (structured?.results ?? []).some(({ p }: { p: string }) => p === `${name}.md`),
    isError: ({ isError }) => isError,
    stored: (name) => {
      const note = [...fake.db.notes.values()].find(
        ({ noteId, title }) => title === name && fake.db.note(noteId),
      );
      return note && fake.text(note.noteId);
    },
  });
}
