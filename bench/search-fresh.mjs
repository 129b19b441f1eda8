// How soon a search shows what has changed: the server's own write, and another program's files.
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { GUEST_FOLDER } from './guest.mjs';
import { median } from './median.mjs';
import { inTurns } from './turns.mjs';

const ROUNDS = 3;
const OWN_LIMIT_MS = 5_000;
const OTHER_LIMIT_MS = 10_000;
const POLL_MS = 10;
const NEVER = 'never';
export const CHANGES = ['own', 'added', 'changed', 'removed'];

/** For each change, from name to milliseconds or "never". */
export async function measureFreshness(rivals, vault) {
  // A server that has not noticed a change once is not asked again.
  const rounds = { rounds: ROUNDS, budget: OWN_LIMIT_MS };
  const results = await inTurns(rivals, rounds, async (rival, round) => ({
    own: rival.write && (await ownWrite(rival, round, vault)),
    ...(await anothersFile(rival, round, vault)),
  }));
  const namesWith = (change) => [...results].map(([name, list]) => [name, overall(list, change)]);
  return new Map(CHANGES.map((change) => [change, new Map(namesWith(change))]));
}

async function ownWrite({ name, ask, client, write }, round, vault) {
  const note = `own-${name}-${round}`;
  const word = madeUpWord(12);
  await client.call(write(`${GUEST_FOLDER}/${note}.md`, textWith(word), vault));
  return shows(ask, word, note, OWN_LIMIT_MS);
}

async function anothersFile({ name, ask }, round, vault) {
  const note = `other-${name}-${round}`;
  const file = join(vault, GUEST_FOLDER, `${note}.md`);
  // Unlike enough in length that no server takes one for a misspelling of the other.
  const [first, second] = [madeUpWord(12), madeUpWord(18)];
  await writeFile(file, textWith(first));
  const added = await shows(ask, first, note, OTHER_LIMIT_MS);
  if (added === NEVER) return { added };
  await writeFile(file, textWith(second));
  const changed = await shows(ask, second, note, OTHER_LIMIT_MS);
  if (changed === NEVER) return { added, changed };
  await rm(file);
  const removed = await shows(ask, second, note, OTHER_LIMIT_MS, false);
  return { added, changed, removed };
}

/** Milliseconds until an answer names the note, or no longer does. */
async function shows(ask, word, note, limit, wanted = true) {
  const begun = performance.now();
  for (let tries = 0; tries <= limit / POLL_MS; tries++) {
    const { text } = await ask({ text: word });
    const passed = performance.now() - begun;
    if (text.includes(note) === wanted) return passed;
    if (passed > limit) break;
    await sleep(POLL_MS);
  }
  return NEVER;
}

function overall(rounds, change) {
  const values = rounds.map((round) => round[change]).filter((value) => value !== undefined);
  return values.includes(NEVER) ? NEVER : median(values);
}

const textWith = (word) => `# Fresh\n\nHere is ${word} for the first time.\n`;

function madeUpWord(length) {
  const letter = () => String.fromCharCode(97 + Math.floor(Math.random() * 26));
  return Array.from({ length }, letter).join('');
}
