import type { Door } from '../door.ts';

/** The governed plane: everything about it stands in its file. */
export const mcpDoor: Door = {
  settings: {},
  log: { env: 'QUIRE_LOG', usual: 'warn' },
  options: [],
  keepsVariables: true,
};
