/**
 * Scans definitions once for as long as they and their neighbours stay the same, in pieces between which the event loop
 * runs: a server with very many definitions, or one that changes them all the time, holds up no other call.
 */
import { LruMap } from '../../shared/memoize.ts';
import type { Definition } from '../../upstream/definition.ts';
import { createPacer } from '../../upstream/pace.ts';
import { sha256 } from '../digest.ts';
import type { ScanFinding } from '../types.ts';
import { type ScanContext, scanDefinition } from './scan/scan.ts';

export interface ScanCache {
  readonly scan: typeof scanDefinition;
  /** Scans all of them, so that `scan` knows them. */
  prepare(definitions: readonly Definition[], context: ScanContext): Promise<void>;
}

const MAX_DEFINITIONS = 4_000;
const PACE = { burstMs: 50, share: 0.5, turnMs: 8 };

export function createScanCache(): ScanCache {
  const known = new LruMap<ScanFinding[]>(MAX_DEFINITIONS);
  const pace = createPacer(PACE);
  const digests = new WeakMap<ScanContext, string>();
  const digestIn = (context: ScanContext) => {
    const digest = digests.get(context) ?? sha256(JSON.stringify([context.own, context.others]));
    digests.set(context, digest);
    return digest;
  };
  const scan = (definition: Definition, context: ScanContext = {}): ScanFinding[] => {
    const key = `${digestIn(context)} ${sha256(JSON.stringify(definition))}`;
    const findings = known.get(key) ?? scanDefinition(definition, context);
    known.set(key, findings);
    return findings;
  };
  return {
    scan,
    async prepare(definitions, context) {
      for (const definition of definitions) {
        const begun = performance.now();
        scan(definition, context);
        await pace(performance.now() - begun);
      }
    },
  };
}
