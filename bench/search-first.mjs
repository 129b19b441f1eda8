// The first search of a fresh process: with an empty home (cold), and with what the server saved there before.
import { rm } from 'node:fs/promises';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { homeOf, launch } from './launch.mjs';
import { RARE, THREE_WORDS } from './queries.mjs';
import { ripgrepOver } from './ripgrep.mjs';
import { inTurns } from './turns.mjs';

const SPAWNS = 3;
const BUDGET_MS = 120_000;
/** How long an index may take to be complete. */
const INDEX_LIMIT_MS = 10_000;
const INDEX_LIMIT_PER_NOTE_MS = 3;
/** For few notes no progress is reported, and the search does not take long. */
const FEW_NOTES_MS = 1_000;

/**
 * By name, for each start: milliseconds of the `search`, from spawn until it was `answered` and until the index was
 * `complete`. Cold, a server that needs its index `prepared` is slower by the time that took; ripgrep has no other way.
 */
export async function measureFirst(servers, vault, homes, { notes, prepared, ripgrep }) {
  const rounds = { rounds: SPAWNS, budget: BUDGET_MS };
  const selfIndexing = servers.filter(({ prepare }) => !prepare);
  const coldly = (query) =>
    inTurns(selfIndexing, rounds, async (server) => {
      await rm(homeOf(server, homes), { recursive: true, force: true });
      return firstSearch(server, vault, homes, query, notes);
    });
  const withSaved = (list, query) =>
    inTurns(list, rounds, (server) => firstSearch(server, vault, homes, query));
  const cold = { rare: await coldly(RARE), words: await coldly(THREE_WORDS) };
  const saved = await withSaved(servers, RARE);
  const needing = servers.filter(({ prepare }) => prepare);
  const afterPrepare = { rare: saved, words: await withSaved(needing, THREE_WORDS) };
  for (const [kind, first] of Object.entries(afterPrepare))
    for (const { name } of needing) cold[kind].set(name, first.get(name).map(laterBy(prepared.get(name)[0])));
  if (ripgrep) await searchColdly(cold, ripgrepOver(vault, ripgrep), rounds);
  return { cold, saved };
}

function laterBy(milliseconds) {
  return ({ search, answered }) => ({ search: search + milliseconds, answered: answered + milliseconds });
}

async function searchColdly(cold, rival, rounds) {
  for (const [kind, query] of [
    ['rare', RARE],
    ['words', THREE_WORDS],
  ]) {
    const times = await inTurns([rival], rounds, async () => {
      const { milliseconds } = await rival.ask(query);
      return { search: milliseconds, answered: milliseconds };
    });
    cold[kind].set(rival.name, times.get(rival.name));
  }
}

/** With a number of notes to index, the server has the time to do so before it is stopped. */
async function firstSearch(server, vault, homes, query, notesToIndex) {
  const { tellsWhenIndexed, search, stopMs } = server;
  const begun = performance.now();
  const { client } = await launch(server, vault, homes, tellsWhenIndexed?.env);
  try {
    const { milliseconds } = await client.ask(search(query.text));
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
