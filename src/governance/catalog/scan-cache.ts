/**
 * Scans definitions once for as long as they and their neighbours stay the same, in steps between which the event loop
 * runs: a server with very many definitions, or one that changes them all the time, holds up no other call.
 */
import { LruMap } from '../../shared/memoize.ts';
import type { Definition } from '../../upstream/definition.ts';
import { sha256 } from '../digest.ts';
import { createPacedScan, type PacedScan } from '../paced-scan.ts';
import type { ScanFinding } from '../types.ts';
import { definitionSteps, instructionsSteps, type ScanContext } from './scan/scan.ts';
import type { Steps } from './scan/steps.ts';

export interface ScanCache {
  /** Takes one step where the definition is known. */
  definition(definition: Definition, context: ScanContext): Steps<ScanFinding[]>;
  instructions(text: string, context: ScanContext): Steps<ScanFinding[]>;
  /** Runs the steps of a comparison within the share of its server. */
  readonly run: PacedScan;
}

const MAX_DEFINITIONS = 4_000;
/** Of all definitions of a server together: what comes after that is too large to be looked over. */
const WORK_MS = 10_000;

export function createScanCache(): ScanCache {
  const known = new LruMap<ScanFinding[]>(MAX_DEFINITIONS);
  const digests = new WeakMap<ScanContext, string>();
  const digestIn = (context: ScanContext) => {
    const digest = digests.get(context) ?? sha256(JSON.stringify([context.own, context.others]));
    digests.set(context, digest);
    return digest;
  };
  const once = function* (what: unknown, context: ScanContext, scan: () => Steps<ScanFinding[]>) {
    const key = `${digestIn(context)} ${sha256(JSON.stringify(what))}`;
    const findings = known.get(key) ?? (yield* scan());
    known.set(key, findings);
    return findings;
  };
  return {
    definition: (definition, context) =>
      once(definition, context, () => definitionSteps(definition, context)),
    instructions: (text, context) => once({ text }, context, () => instructionsSteps(text, context)),
    run: createPacedScan({ workMs: WORK_MS }),
  };
}
