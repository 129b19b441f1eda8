/** How well the scanner tells poisoned definitions from clean ones, by the corpus beside this file. */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { scanDefinition } from '../../../src/governance/catalog/scan/scan.ts';
import type { OtherServer } from '../../../src/governance/catalog/scan/shadowing.ts';
import type { ScanFinding } from '../../../src/governance/types.ts';
import type { Definition } from '../../../src/upstream/definition.ts';

interface Sample {
  readonly id: string;
  readonly definition: Definition;
  /** Names of the server's definitions. */
  readonly own?: readonly string[];
  readonly others?: readonly OtherServer[];
}

/**
 * Which samples the scanner was tuned on: those it was, those kept apart, those written when it was done. `families` are
 * fourteen kinds of attack in ten languages, `varied` twenty-six in nine, both tuned on too. `second fresh` was measured
 * once, when the scanner was done with `fresh` as its judge; whoever tunes on it moves it to another split.
 */
export type Split = 'tuned' | 'held out' | 'fresh' | 'families' | 'varied' | 'second fresh';

export interface Poisoned extends Sample {
  readonly lang: string;
  readonly technique: string;
  /** The code of the finding that is wanted; any hard finding when it is absent. */
  readonly expect?: string;
  readonly split: Split;
}

export interface Clean extends Sample {
  readonly group: 'plain' | 'hard negative' | 'real' | 'own';
}

export interface Count {
  readonly samples: number;
  readonly found: number;
}

export interface Figures {
  readonly poisoned: readonly (Poisoned & { readonly isFound: boolean })[];
  readonly clean: readonly (Clean & { readonly hard: number; readonly soft: number })[];
}

export const HARD_CODES = [
  'unicode.hidden',
  'shadowing.cross_server',
  'payload.decoded',
  'phrase.injection',
] as const;

const isHeldOut = (id: string) => (createHash('sha256').update(id).digest()[0] ?? 0) % 2 === 0;

export interface Corpus {
  readonly poisoned: readonly Poisoned[];
  readonly clean: readonly Clean[];
}

export function readCorpus(folder: string): Corpus {
  const read = (name: string) => readFileSync(join(folder, name), 'utf8');
  const lines = (name: string) =>
    read(name)
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
  const seen: Poisoned[] = JSON.parse(read('poisoned.json'));
  const attacks: Poisoned[] = lines('attacks.jsonl');
  const fresh: Poisoned[] = lines('fresh.jsonl');
  const families: Poisoned[] = lines('families.jsonl');
  const varied: Poisoned[] = lines('varied.jsonl');
  const secondFresh: Poisoned[] = lines('second-fresh.jsonl');
  return {
    poisoned: [
      ...seen.map((sample) => ({ ...sample, split: 'tuned' as const })),
      ...attacks.map((one) => ({
        ...one,
        split: isHeldOut(one.id) ? ('held out' as const) : ('tuned' as const),
      })),
      // The first two rounds of fresh ones were tuned on once they were measured; the last was not.
      ...fresh.map((one) => ({
        ...one,
        split: one.id.startsWith('h') ? ('fresh' as const) : ('tuned' as const),
      })),
      ...families.map((one) => ({ ...one, split: 'families' as const })),
      ...varied.map((one) => ({ ...one, split: 'varied' as const })),
      ...secondFresh.map((one) => ({ ...one, split: 'second fresh' as const })),
    ],
    clean: [
      ...JSON.parse(read('clean.json')),
      ...lines('clean-languages.jsonl'),
      ...realOf(lines('real.jsonl')),
      ...ownOf(join(folder, '../../toolsnaps')),
    ],
  };
}

/** Definitions of published servers, as they are listed. */
function realOf(rows: readonly { readonly server: string; readonly definition: Definition }[]): Clean[] {
  const names = (server: string) =>
    rows.filter((row) => row.server === server).map((row) => row.definition.name);
  return rows.map(({ server, definition }) => ({
    id: `${server} ${definition.name}`,
    group: 'real',
    definition,
    own: names(server),
  }));
}

/** Quire's own tools: a folder for each surface. The reserved names of `brain` shadow, which is what they are for. */
function ownOf(folder: string): Clean[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && entry.name !== 'brain')
    .flatMap(({ name: surface }) => {
      const files = readdirSync(join(folder, surface)).filter((file) => file.endsWith('.json'));
      const own = files.map((file) => file.replace('.json', ''));
      return files.map((file) => ({
        id: `${surface}/${file}`,
        group: 'own' as const,
        definition: {
          kind: 'tool' as const,
          ...JSON.parse(readFileSync(join(folder, surface, file), 'utf8')),
        },
        own,
      }));
    });
}

export function measure({ poisoned, clean }: Corpus): Figures {
  return {
    poisoned: poisoned.map((sample) => ({ ...sample, isFound: isFound(sample) })),
    clean: clean.map((sample) => {
      const findings = scan(sample);
      const hard = findings.filter(({ severity }) => severity === 'hard').length;
      return { ...sample, hard, soft: findings.length - hard };
    }),
  };
}

/** A hard code counts only as a hard finding. */
function isFound(sample: Poisoned): boolean {
  const isSoft = sample.expect !== undefined && !HARD_CODES.some((hard) => hard === sample.expect);
  return scan(sample).some(
    ({ code, severity }) =>
      (sample.expect === undefined || code === sample.expect) && (isSoft || severity === 'hard'),
  );
}

function scan({ definition, own = [], others = [] }: Sample): ScanFinding[] {
  return scanDefinition(definition, { own: [definition.name, ...own], others });
}

/** Counts by a key, in the order in which the keys occur. */
export function countBy(
  samples: Figures['poisoned'],
  keyOf: (sample: Poisoned) => string,
): Map<string, Count> {
  const counts = new Map<string, Count>();
  for (const sample of samples) {
    const { samples: all, found } = counts.get(keyOf(sample)) ?? { samples: 0, found: 0 };
    counts.set(keyOf(sample), { samples: all + 1, found: found + (sample.isFound ? 1 : 0) });
  }
  return counts;
}

export function recallOf(samples: Figures['poisoned']): number {
  return samples.filter(({ isFound: found }) => found).length / samples.length;
}
