/**
 * Measures the scanner on sets that are not ours to keep: JSON lines with `label` (poisoned or clean), `lang`, and
 * `definition` or `text`, the text of a result. Prints figures only, never a sample, so that a set stays unseen.
 */
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { inTemporaryFolder } from './temporary.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const { scanDefinition, scanResult } = await inTemporaryFolder(async (folder) => {
  const outfile = join(folder, 'scan.mjs');
  await build({
    entryPoints: [join(root, 'src/governance/catalog/scan/scan.ts')],
    bundle: true,
    platform: 'node',
    format: 'esm',
    outfile,
  });
  return await import(pathToFileURL(outfile).href);
});
const findingsOf = ({ definition, text, own = [], others = [] }) =>
  definition
    ? scanDefinition(definition, { own: [definition.name, ...own], others })
    : scanResult({ content: [{ type: 'text', text }] }).findings;
for (const file of process.argv.slice(2)) {
  const counts = new Map();
  for (const line of readFileSync(file, 'utf8').trimEnd().split('\n')) {
    const row = JSON.parse(line);
    const findings = findingsOf(row);
    const isHard = findings.some(({ severity }) => severity === 'hard');
    for (const key of [row.label, `${row.label} ${row.lang}`]) {
      const count = counts.get(key) ?? { samples: 0, hard: 0, soft: 0 };
      count.samples++;
      if (isHard) count.hard++;
      else if (findings.length > 0) count.soft++;
      counts.set(key, count);
    }
  }
  process.stdout.write(`${file}\n`);
  for (const [key, { samples, hard, soft }] of counts)
    process.stdout.write(`  ${key}: ${samples} samples, ${hard} hard, ${soft} soft only\n`);
}
