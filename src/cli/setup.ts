/** The commands that set Quire up: a bundle of their own, which a start over stdio neither reads nor compiles. */
export { completion } from './completion/run.ts';
export { connect } from './connect/run.ts';
export { clientChecks } from './doctor/client-checks.ts';
export { init } from './init/run.ts';
export { listToolSets } from './tool-sets.ts';
