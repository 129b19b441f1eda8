// npm run bench:extraction
// Precision and recall of open loops and decisions on the labelled lines of public notes beside this file.
import { bundled } from '../../bundled.mjs';
import { markdownTable } from '../../table.mjs';

const { readLabelledNotes, measureLines, figureRows } = await bundled('bench/quality/extraction/measure.ts');
const notes = readLabelledNotes(new URL('lines.jsonl', import.meta.url));
const table = markdownTable(
  ['', 'Language', 'Labels', 'Precision', 'Recall', 'F1'],
  figureRows(await measureLines(notes)),
);
process.stdout.write(`${table}\n`);
