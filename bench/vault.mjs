// A vault of N notes, always the same one: plain words drawn by a fixed generator, frontmatter, headings, links, a few folders deep.
import { mkdir, readdir, stat, writeFile } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { plantProbes } from './queries.mjs';

const SYLLABLES = [
  'ka',
  'ro',
  'mi',
  'ten',
  'sol',
  'ar',
  'vel',
  'no',
  'pri',
  'dun',
  'el',
  'tas',
  'qui',
  'bor',
  'lem',
  'os',
];

/** Words that are searched for, by how common they are: the first ones of a vocabulary are in most notes. */
const SEARCHED_WORDS = new Map([
  [40, 'file'],
  [400, 'keyboard'],
  [600, 'settings'],
  [800, 'shortcut'],
]);

export async function makeVault(folder, count) {
  const random = mulberry(42);
  const pick = (list) => list[Math.floor(random() * list.length)];
  const vocabulary = Array.from(
    { length: 4000 },
    () => pick(SYLLABLES) + pick(SYLLABLES) + (random() < 0.5 ? pick(SYLLABLES) : ''),
  );
  for (const [at, word] of SEARCHED_WORDS) vocabulary[at] = word;
  // Few words are common and many are rare, as in real text.
  const word = () => vocabulary[Math.floor(vocabulary.length * random() ** 3)];
  const sentence = () => `${Array.from({ length: 6 + Math.floor(random() * 14) }, word).join(' ')}.`;
  const pathOf = (at) => `area ${at % 23}/topic ${at % 7}/note ${at}.md`;
  for (let area = 0; area < 23; area++)
    for (let topic = 0; topic < 7; topic++)
      await mkdir(join(folder, `area ${area}/topic ${topic}`), { recursive: true });
  await mkdir(join(folder, '.obsidian'), { recursive: true });
  for (let at = 0; at < count; at++) {
    const body = Array.from(
      { length: 2 + Math.floor(random() * 9) },
      () => `## ${word()}\n\n${Array.from({ length: 5 }, sentence).join(' ')}\n`,
    );
    const link = `See [[note ${Math.floor(random() * count)}]].\n`;
    const text = `---\ntitle: ${word()} ${at}\ntags: [${word()}, ${word()}]\n---\n\n# Note ${at}\n\n${body.join('\n')}\n${link}`;
    await writeFile(join(folder, pathOf(at)), text);
  }
  await plantProbes(folder);
  return { pathOf, count };
}

/** Paths of all notes below the folder, hidden ones aside. */
export async function notesIn(folder) {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true });
  const paths = entries
    .filter((entry) => entry.isFile() && entry.name.endsWith('.md'))
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)));
  return paths.filter((path) => !path.split(sep).some((name) => name.startsWith('.')));
}

/** How many notes there are, and how large they are together. */
export async function sizeOfVault(folder) {
  const paths = await notesIn(folder);
  let bytes = 0;
  for (const path of paths) bytes += (await stat(join(folder, path))).size;
  return { notes: paths.length, megabytes: bytes / 1e6 };
}

function mulberry(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}
