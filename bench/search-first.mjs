// The first search of a fresh process: with an empty home, and with what the server saved there before.
import { rm } from 'node:fs/promises';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { homeOf, launch } from './launch.mjs';
import { RARE } from './queries.mjs';
import { inTurns } from './turns.mjs';

const SPAWNS = 3;
const BUDGET_MS = 120_000;
/** How long an index may take to be complete. */
const INDEX_LIMIT_MS = 10_000;
const INDEX_LIMIT_PER_NOTE_MS = 3;
/** For few notes no progress is reported, and the search does not take long. */
const FEW_NOTES_MS = 1_000;

/** By name, for each start: milliseconds of the `search`, from spawn until it was `answered` and until the index was `complete`. */
export async function measureFirst(servers, vault, homes, notes) {
  const rounds = { rounds: SPAWNS, budget: BUDGET_MS };
  const selfIndexing = servers.filter(({ prepare }) => !prepare);
  const unsaved = await inTurns(selfIndexing, rounds, async (server) => {
    await rm(homeOf(server, homes), { recursive: true, force: true });
    return firstSearch(server, vault, homes, notes);
  });
  const saved = await inTurns(servers, rounds, (server) => firstSearch(server, vault, homes));
  return { unsaved, saved };
}

/** With a number of notes to index, the server has the time to do so before it is stopped. */
async function firstSearch(server, vault, homes, notesToIndex) {
  const { tellsWhenIndexed, search, stopMs } = server;
  const begun = performance.now();
  const { client } = await launch(server, vault, homes, tellsWhenIndexed?.env);
  try {
    const { milliseconds } = await client.ask(search(RARE.text));
    const answered = performance.now() - begun;
    const isIndexing = tellsWhenIndexed !== undefined && notesToIndex !== undefined;
    const complete = isIndexing ? await indexed(client, tellsWhenIndexed, notesToIndex) : undefined;
    return { search: milliseconds, answered, complete };
  } finally {
    await client.stop(stopMs);
  }
}

/** Milliseconds from spawn until the index was complete, as far as the server reported. */
async function indexed(client, { message, fromNotes }, notes) {
  if (notes >= fromNotes)
    return client.loggedAfter(message, INDEX_LIMIT_MS + notes * INDEX_LIMIT_PER_NOTE_MS);
  await sleep(FEW_NOTES_MS);
  return undefined;
}
