/** How well the scanner tells poisoned definitions from clean ones, by the corpus beside this file. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { scanDefinition } from '../../../src/governance/catalog/scan/scan.ts';
import type { OtherServer } from '../../../src/governance/catalog/scan/shadowing.ts';
import type { ScanFinding } from '../../../src/governance/types.ts';
import type { Definition } from '../../../src/upstream/definition.ts';

interface Sample {
  readonly id: string;
  readonly definition: Definition;
  readonly others?: readonly OtherServer[];
}

export interface Poisoned extends Sample {
  readonly technique: string;
  /** The code of the finding that is wanted. */
  readonly expect: string;
}

export interface Clean extends Sample {
  readonly group: 'plain' | 'hard negative';
}

export interface CodeFigures {
  readonly code: string;
  readonly samples: number;
  readonly found: number;
}

export interface Figures {
  readonly codes: readonly CodeFigures[];
  readonly clean: number;
  readonly missed: readonly Poisoned[];
  readonly alarms: readonly { readonly sample: Clean; readonly findings: readonly ScanFinding[] }[];
}

export const HARD_CODES = [
  'unicode.hidden',
  'shadowing.cross_server',
  'payload.decoded',
  'phrase.injection',
] as const;

export function readCorpus(folder: string): { poisoned: Poisoned[]; clean: Clean[] } {
  const read = (name: string) => JSON.parse(readFileSync(join(folder, name), 'utf8'));
  return { poisoned: read('poisoned.json'), clean: read('clean.json') };
}

/** A hard code counts only as a hard finding. */
export function measure({ poisoned, clean }: { poisoned: Poisoned[]; clean: Clean[] }): Figures {
  const isFound = (sample: Poisoned) =>
    scan(sample).some(
      ({ code, severity }) =>
        code === sample.expect && (severity === 'hard' || !HARD_CODES.some((hard) => hard === code)),
    );
  const missed = poisoned.filter((sample) => !isFound(sample));
  const codes = [...new Set(poisoned.map(({ expect }) => expect))].map((code) => {
    const samples = poisoned.filter(({ expect }) => expect === code).length;
    return { code, samples, found: samples - missed.filter(({ expect }) => expect === code).length };
  });
  const alarms = clean
    .map((sample) => ({ sample, findings: scan(sample).filter(({ severity }) => severity === 'hard') }))
    .filter(({ findings }) => findings.length > 0);
  return { codes, clean: clean.length, missed, alarms };
}

function scan({ definition, others = [] }: Sample): ScanFinding[] {
  return scanDefinition(definition, { own: [definition.name], others });
}

export function recallOf(codes: readonly CodeFigures[]): number {
  const sum = (pick: (one: CodeFigures) => number) => codes.reduce((total, one) => total + pick(one), 0);
  return sum(({ found }) => found) / sum(({ samples }) => samples);
}
