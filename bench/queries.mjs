// The queries, and the notes planted so that there is something to find.
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const PROBE_FOLDER = 'Bench';
const PROBES = new Map([
  ['Probe rare.md', '# Probe rare\n\nNowhere else in this vault is there a zephyrquagga.\n'],
  ['Probe phrase.md', '# Probe phrase\n\nEvery evening the amber lighthouse keeper climbs the stairs.\n'],
]);

/** `finds` is the note that a right answer names. */
export const QUERIES = [
  { label: 'rare word', text: 'zephyrquagga', finds: 'Probe rare' },
  { label: 'common word', text: 'file' },
  { label: 'phrase', text: 'amber lighthouse keeper', isPhrase: true, finds: 'Probe phrase' },
  { label: 'three words', text: 'keyboard shortcut settings' },
  { label: 'word with a typo', text: 'zephirquagga', finds: 'Probe rare' },
  { label: 'part of a word', text: 'phyrquag', finds: 'Probe rare' },
  { label: 'no hit', text: 'qxzvnohitqxzv' },
];
export const [RARE, , , THREE_WORDS] = QUERIES;
export const AT_ONCE = Array.from({ length: 8 }, (_, at) => ({ text: `keyboard shortcut settings ${at}` }));

export async function plantProbes(vault, folder = PROBE_FOLDER) {
  await mkdir(join(vault, folder), { recursive: true });
  for (const [name, text] of PROBES) await writeFile(join(vault, folder, name), text);
}

export function hasProbes(vault) {
  return [...PROBES.keys()].every((name) => existsSync(join(vault, PROBE_FOLDER, name)));
}
