/**
 * A SilverBullet space of many pages, for measuring; says where it is and lives until its input ends. A line of input
 * is how many milliseconds each answer takes from then on.
 */
import { createInterface } from 'node:readline';
import { openSilverBullet } from '../test/kit/silverbullet/open.ts';

const WORDS = 4_000;
const WORDS_PER_PAGE = 400;

const pages = Number(process.argv[2] ?? 1_000);
const space = await openSilverBullet({ files: pagesOf(pages) });
process.stdout.write(`${space.url}\n`);
createInterface({ input: process.stdin })
  .on('line', (line) => {
    space.faults.latencyMs = () => Number(line);
    process.stdout.write('ok\n');
  })
  .on('close', () => process.exit());

/** About three kilobytes each, of words that are the rarer the higher their number; the same every time. */
function pagesOf(count: number): Record<string, string> {
  let seed = 1;
  const random = () => {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0;
    return seed / 2 ** 32;
  };
  const word = () => `word${Math.floor(WORDS * random() ** 3)}`;
  const files: Record<string, string> = {
    'Probe.md': '# Probe\n\nNowhere else in this space is there a zephyrquagga.\n',
  };
  for (let page = 0; page < count - 1; page++) {
    const lines = Array.from({ length: WORDS_PER_PAGE / 10 }, () =>
      Array.from({ length: 10 }, word).join(' '),
    );
    files[`Folder ${page % 40}/Page ${page}.md`] = `# Page ${page}\n\n${lines.join('\n')}\n`;
  }
  return files;
}
