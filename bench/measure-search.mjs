// All about searching one vault: the index, the first answer, warm answers, fresh answers, memory.
import { asGuest, GUEST_FOLDER } from './guest.mjs';
import { prepareIndex, withRunning } from './launch.mjs';
import { median } from './median.mjs';
import { hasProbes, plantProbes } from './queries.mjs';
import { ripgrepOver } from './ripgrep.mjs';
import { measureFirst } from './search-first.mjs';
import { measureFreshness } from './search-fresh.mjs';
import { measureWarm } from './search-warm.mjs';
import { ratioTable } from './table.mjs';
import { inTemporaryFolder } from './temporary.mjs';
import { inTurns } from './turns.mjs';
import { sizeOfVault } from './vault.mjs';

/** The table of those servers that can search, and of ripgrep if its program is given; of first searches alone if `firstOnly`. */
export async function measureSearch(vault, servers, { ripgrep, firstOnly = false, remark = '' }) {
  const able = servers.filter(({ search }) => search);
  const guest = {
    leavings: able.flatMap(({ leaves = [] }) => leaves),
    wanted: able.flatMap(({ wants = [] }) => wants),
  };
  const { notes, megabytes } = await sizeOfVault(vault);
  const measured = await asGuest(vault, guest, () =>
    inTemporaryFolder(async (homes) => {
      if (!hasProbes(vault)) await plantProbes(vault, GUEST_FOLDER);
      const needing = able.filter(({ prepare }) => prepare);
      const prepared = await inTurns(needing, { rounds: 1 }, (server) => prepareIndex(server, vault, homes));
      const ready = able.filter(({ name }) => prepared.get(name)?.length !== 0);
      const first = await measureFirst(ready, vault, homes, { notes, prepared, ripgrep });
      if (firstOnly) return { prepared, ...first };
      const running = await withRunning(ready, vault, homes, (servers) =>
        measureRunning(vault, servers.map(askable), ripgrep),
      );
      return { prepared, ...first, ...running };
    }),
  );
  const names = [...able.map(({ name }) => name), ...(ripgrep ? ['ripgrep'] : [])];
  const title = `${notes.toLocaleString('en')} notes, ${megabytes.toFixed(1)} MB${remark}`;
  return ratioTable(title, names, rowsOf(measured));
}

async function measureRunning(vault, servers, ripgrep) {
  const warm = await measureWarm(ripgrep ? [...servers, ripgrepOver(vault, ripgrep)] : servers);
  const memory = new Map(servers.map(({ name, client }) => [name, client.memory()]));
  return { ...warm, memory, fresh: await measureFreshness(servers, vault) };
}

function askable(server) {
  const { client, search, searchPhrase = search } = server;
  return { ...server, ask: ({ text, isPhrase }) => client.ask((isPhrase ? searchPhrase : search)(text)) };
}

function rowsOf({ prepared, cold, saved, ...running }) {
  const middle = (results, field) => (name) => {
    const values = (results.get(name) ?? []).map((result) => result[field]);
    return median(values.filter((value) => value !== undefined));
  };
  return [
    ['index built beforehand, ms', (name) => prepared.get(name)?.[0]],
    ['cold: first search, a rare word, ms', middle(cold.rare, 'search')],
    ['cold: first search, three words, ms', middle(cold.words, 'search')],
    ['cold: start and first search, a rare word, ms', middle(cold.rare, 'answered')],
    ['cold: start and first search, three words, ms', middle(cold.words, 'answered')],
    ['cold: from start to the index complete, ms', middle(cold.rare, 'complete')],
    ['first search, index saved, ms', middle(saved, 'search')],
    ['start and first search, index saved, ms', middle(saved, 'answered')],
    ...(running.queries ? runningRows(running) : []),
  ];
}

function runningRows({ queries, atOnce, memory, fresh }) {
  const change = (kind) => (name) => fresh.get(kind).get(name);
  return [
    ...[...queries].map(([label, times]) => [`${label}, ms`, (name) => times.get(name)]),
    ['8 searches at once, ms', (name) => atOnce.get(name)],
    ['own write found after, ms', change('own')],
    ["another program's new file found after, ms", change('added')],
    ['changed in place, found after, ms', change('changed')],
    ['removed, gone after, ms', change('removed')],
    ['memory after searches, MB', (name) => memory.get(name)],
  ];
}
