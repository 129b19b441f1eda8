/** Every property test has the same seed, from here; and a run by npx is like any other. */
import fc from 'fast-check';
import { propertySeed, usualCases } from './kit/cases.ts';
import { useShortConnections } from './kit/short-connections.ts';

// Quire names itself by how it was started.
delete process.env.npm_command;

fc.configureGlobal({ seed: propertySeed, numRuns: usualCases });
useShortConnections();
