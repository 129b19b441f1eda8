// npm run bench [-- --peers DIR] [--notes 1000,10000] [--vault DIR,DIR] [--only work|search|first] [--write]
// Measures Quire beside bare Node and beside peers installed with npm in DIR, all in one run and in turns, so
// that a busy machine is busy for everyone. Search is measured on the given vaults, or on the made-up ones of
// so many notes; of these --only first has the first search of a fresh process alone. --write puts the tables
// into docs/understand/performance.md.
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { measureSearch } from './measure-search.mjs';
import { measureWork } from './measure-work.mjs';
import { putBetweenMarkers } from './page.mjs';
import { findRipgrep } from './ripgrep.mjs';
import { availableServers } from './servers.mjs';
import { exitWhenInterrupted, inTemporaryFolder } from './temporary.mjs';
import { complain } from './turns.mjs';
import { makeVault } from './vault.mjs';

const { values: options } = parseArgs({
  options: {
    peers: { type: 'string' },
    notes: { type: 'string', default: '1000,10000' },
    vault: { type: 'string' },
    only: { type: 'string' },
    write: { type: 'boolean', default: false },
  },
});
if (![undefined, 'work', 'search', 'first'].includes(options.only))
  throw new Error('--only takes work, search or first');
if (options.only === 'first' && options.write) throw new Error('--only first has no whole table to --write');
exitWhenInterrupted();
const servers = availableServers(options.peers);
const ripgrep = findRipgrep(options.peers);
if (options.peers && !ripgrep)
  complain('ripgrep', `skipped, because it is not there: run npm i @vscode/ripgrep in ${options.peers}`);
const doesWork = [undefined, 'work'].includes(options.only);
const searching = { ripgrep, firstOnly: options.only === 'first' };
const doesSearch = options.only !== 'work';
const vaults = options.vault?.split(',').map((folder) => resolve(folder)) ?? [];
const tables = { bench: [], 'bench:search': [] };

if (doesWork || vaults.length === 0)
  for (const count of options.notes.split(',').map(Number))
    await inTemporaryFolder((vault) => measureMade(vault, count));
if (doesSearch)
  for (const vault of vaults) report('bench:search', await measureSearch(vault, servers, searching));
if (options.write)
  for (const [marker, list] of Object.entries(tables))
    if (list.length > 0) await putBetweenMarkers(marker, list.join('\n\n'));

async function measureMade(vault, count) {
  const made = await makeVault(vault, count);
  if (doesWork) report('bench', await measureWork(vault, made, servers));
  if (doesSearch && vaults.length === 0)
    report('bench:search', await measureSearch(vault, servers, { ...searching, remark: ', made up' }));
}

/** At once, so that what was measured is not lost when the rest fails. */
function report(marker, table) {
  tables[marker].push(table);
  process.stdout.write(`${table}\n\n`);
}
