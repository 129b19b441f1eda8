// docs/understand/performance.md, where results stand between two markers.
import { readFile, writeFile } from 'node:fs/promises';

const PAGE = new URL('../docs/understand/performance.md', import.meta.url);

export async function putBetweenMarkers(marker, text) {
  const page = await readFile(PAGE, 'utf8');
  const [open, close] = [`<!-- ${marker} -->\n`, `<!-- /${marker} -->`];
  const from = page.indexOf(open) + open.length;
  const to = page.indexOf(close, from);
  if (from < open.length || to < 0)
    throw new Error(`docs/understand/performance.md lacks the markers of ${marker}`);
  await writeFile(PAGE, `${page.slice(0, from)}${text}\n${page.slice(to)}`);
}
