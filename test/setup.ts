/** Every property test has the same seed, from here. */
import fc from 'fast-check';
import { propertySeed, usualCases } from './kit/cases.ts';

fc.configureGlobal({ seed: propertySeed, numRuns: usualCases });
