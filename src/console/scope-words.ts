import type { Scope } from '../shared/principal.ts';

/** What a scope lets somebody do, to be put after "may". */
export const SCOPE_WORDS: Readonly<Record<Scope, string>> = {
  'notes:read': 'read and search all your notes',
  'notes:write': 'create, change, move and delete notes',
};
