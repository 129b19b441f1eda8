import type { CommandSpec } from './command.ts';

/** `quire import` and `quire export`, which know their notebook from a configuration file. */
export const transferCommand: CommandSpec = {
  settings: {},
  log: { env: 'QUIRE_LOG', usual: 'warn' },
  options: [],
};
