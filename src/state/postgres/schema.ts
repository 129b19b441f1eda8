/** The tables that replicas share, in the order in which they came to be. */

import type { Migration } from './migrate.ts';
import state from './migrations/001-state.sql';
import limits from './migrations/002-limits.sql';
import sessions from './migrations/003-sessions.sql';
import governance from './migrations/004-governance.sql';
import history from './migrations/005-history.sql';
import historyClients from './migrations/006-history-clients.sql';
import chain from './migrations/007-chain.sql';
import seenVersions from './migrations/008-seen-versions.sql';
import behindSince from './migrations/009-behind-since.sql';

export const STATE_SCHEMA = 'quire';

export const STATE_MIGRATIONS: readonly Migration[] = [
  { version: 1, name: 'state', sql: state },
  { version: 2, name: 'limits', sql: limits },
  { version: 3, name: 'sessions', sql: sessions },
  { version: 4, name: 'governance', sql: governance },
  { version: 5, name: 'history', sql: history },
  { version: 6, name: 'history-clients', sql: historyClients },
  { version: 7, name: 'chain', sql: chain },
  { version: 8, name: 'seen-versions', sql: seenVersions },
  { version: 9, name: 'behind-since', sql: behindSince },
];
