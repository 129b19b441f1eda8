// node bench/notes.mjs [--notes 100000,1000000] [--search 100000]
// A notebook in PostgreSQL: what one call takes with few and with very many notes. `--search`: the most that are indexed.
import { parseArgs } from 'node:util';
import { bundled } from './bundled.mjs';

const { values } = parseArgs({
  options: {
    notes: { type: 'string', default: '100000,1000000' },
    search: { type: 'string', default: '100000' },
  },
});
const { measureNotes } = await bundled('bench/notes-over.ts');
const columns = await measureNotes(values.notes.split(',').map(Number), { search: Number(values.search) });
const rows = [...new Set(columns.flatMap(({ figures }) => Object.keys(figures)))];
const lines = [
  `| milliseconds | ${columns.map(({ notes }) => `${notes} notes`).join(' | ')} |`,
  `| --- |${columns.map(() => ' --- |').join('')}`,
  ...rows.map(
    (row) => `| ${row} | ${columns.map(({ figures }) => figures[row]?.toFixed(2) ?? '').join(' | ')} |`,
  ),
];
process.stdout.write(`${lines.join('\n')}\n`);
