/** Precision and recall of open loops and decisions on labelled lines of public notes. */
import { readFileSync } from 'node:fs';
import { decisionsOf } from '../../../src/brain/extract/decisions/decisions.ts';
import { loopsOf } from '../../../src/brain/extract/loops/loops.ts';
import { readNote } from '../../../src/brain/extract/note-facts.ts';
import { LEAST_CONFIDENCE } from '../../../src/brain/extract/types.ts';
import { runAtOnce } from '../../../src/shared/async/time-slices.ts';

/** An excerpt of a public note. Each line has a label: see the README. */
export interface LabelledNote {
  readonly language: string;
  readonly source: string;
  readonly path: string;
  readonly licence: string;
  readonly lines: readonly (readonly [label: string, text: string])[];
}

export const SUBJECTS = ['loops', 'decisions'] as const;
export type Subject = (typeof SUBJECTS)[number];

export interface Counts {
  found: number;
  wrong: number;
  missed: number;
}

/** By subject and language; `all` for all languages. */
export type Measured = Readonly<Record<Subject, Readonly<Record<string, Counts>>>>;

const LETTERS: Readonly<Record<Subject, readonly [sure: string, unclear: string]>> = {
  loops: ['L', 'l'],
  decisions: ['D', 'd'],
};

export function readLabelledNotes(file: URL): LabelledNote[] {
  const lines = readFileSync(file, 'utf8').split('\n');
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as LabelledNote);
}

export async function measureLines(notes: readonly LabelledNote[]): Promise<Measured> {
  const measured = { loops: {}, decisions: {} } as Record<Subject, Record<string, Counts>>;
  const count = (subject: Subject, language: string, what: keyof Counts) => {
    for (const group of ['all', language]) {
      measured[subject][group] ??= { found: 0, wrong: 0, missed: 0 };
      measured[subject][group][what]++;
    }
  };
  for (const { language, path, lines } of notes) {
    const got = await linesFound(lines.map(([, text]) => text).join('\n'), path);
    for (const subject of SUBJECTS) {
      const [sure, unclear] = LETTERS[subject];
      for (const [index, [written]] of lines.entries()) {
        const label = /^[LlDd]*/.exec(written)![0];
        const [wanted, found] = [label.includes(sure), got[subject].has(index)];
        if (label.includes(unclear) || (!wanted && !found)) continue;
        count(subject, language, wanted ? (found ? 'found' : 'missed') : 'wrong');
      }
    }
  }
  return measured;
}

async function linesFound(text: string, sourcePath: string): Promise<Record<Subject, Set<number>>> {
  const note = await readNote(text, { sourcePath });
  const open = runAtOnce(loopsOf(note)).filter(({ status }) => status !== 'done' && status !== 'cancelled');
  const made = runAtOnce(decisionsOf(note));
  const linesOf = (items: readonly { confidence: number; evidence: { lineStart: number } }[]) =>
    new Set(
      items
        .filter(({ confidence }) => confidence >= LEAST_CONFIDENCE)
        .map(({ evidence }) => evidence.lineStart - 1),
    );
  return { loops: linesOf(open), decisions: linesOf(made) };
}

const LANGUAGES: Readonly<Record<string, string>> = {
  en: 'English',
  de: 'German',
  fr: 'French',
  es: 'Spanish',
  pt: 'Portuguese',
  all: 'all',
};

/** A row for each subject and language: labels, precision, recall, F1. */
export function figureRows(measured: Measured): string[][] {
  return SUBJECTS.flatMap((subject) =>
    Object.entries(LANGUAGES).flatMap(([code, name]) => {
      const counts = measured[subject][code];
      if (!counts) return [];
      const { found, wrong, missed } = counts;
      const shares = [share(found, found + wrong), share(found, found + missed), f1Of(counts).toFixed(2)];
      return [[subject, name, String(found + missed), ...shares]];
    }),
  );
}

export function f1Of({ found, wrong, missed }: Counts): number {
  return found === 0 ? 0 : (2 * found) / (2 * found + wrong + missed);
}

function share(part: number, all: number): string {
  return all === 0 ? '–' : (part / all).toFixed(2);
}
