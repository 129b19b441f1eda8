/** How well extraction finds what a careful person labelled in the notes beside this file. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { decisionsIn, meetingIn } from '../../../src/brain/extract/ops/extract.ts';
import { openLoopsIn } from '../../kit/extract.ts';

interface Label {
  readonly path: string;
  /** The day of the file's last change. */
  readonly modified: string;
  readonly dates?: 'mdy' | 'dmy';
  readonly loops: readonly LoopLabel[];
  readonly decisions: readonly string[];
  readonly meeting?: {
    readonly attendees: readonly string[];
    readonly actions: readonly { readonly text: string; readonly owner?: string; readonly due?: string }[];
    readonly risks: readonly string[];
  };
}

interface LoopLabel {
  readonly kind: string;
  readonly text: string;
  /** Default: open. */
  readonly status?: string;
  readonly due?: string;
}

export interface Sample extends Label {
  readonly name: string;
  readonly text: string;
}

export const KINDS = [
  'task',
  'task status',
  'task due',
  'todo and marker',
  'question',
  'waiting_for',
  'follow_up',
  'decision',
  'attendee',
  'action item',
  'action owner',
  'action due',
  'risk',
] as const;
export type Kind = (typeof KINDS)[number];

export interface Figures {
  readonly found: number;
  readonly wrong: number;
  readonly missed: number;
}

export interface Measurement {
  readonly figures: Readonly<Record<Kind, Figures>>;
  /** A description of each failure, for people. */
  readonly mistakes: readonly string[];
}

export function readCorpus(folder: string, set: 'tuned' | 'held-out'): Sample[] {
  const names = readdirSync(join(folder, set))
    .filter((name) => name.endsWith('.md'))
    .sort();
  return names.map((name) => ({
    ...(JSON.parse(readFileSync(join(folder, set, name.replace(/md$/, 'json')), 'utf8')) as Label),
    name,
    text: readFileSync(join(folder, set, name), 'utf8'),
  }));
}

export function f1({ found, wrong, missed }: Figures): number {
  return found === 0 ? 0 : (2 * found) / (2 * found + wrong + missed);
}

export async function measure(samples: readonly Sample[]): Promise<Measurement> {
  const tally = createTally();
  for (const sample of samples) {
    const reading = {
      sourcePath: sample.path,
      lastModified: Date.parse(sample.modified),
      ...(sample.dates && { dates: sample.dates }),
    };
    await measureLoops(sample, reading, tally);
    const decisions = await decisionsIn(sample.text, reading);
    tally.compare(
      'decision',
      sample.name,
      sample.decisions,
      decisions.map(({ decision }) => decision),
    );
    if (sample.meeting) await measureMeeting(sample, reading, tally);
  }
  return { figures: tally.figures, mistakes: tally.mistakes };
}

type Tally = ReturnType<typeof createTally>;
type Readings = Parameters<typeof openLoopsIn>[1];

async function measureLoops(
  { name, text, loops: labels }: Sample,
  reading: Readings,
  tally: Tally,
): Promise<void> {
  const loops = await openLoopsIn(text, reading);
  const groups: readonly (readonly [Kind, readonly string[]])[] = [
    ['task', ['task']],
    ['todo and marker', ['todo', 'openloop']],
    ['question', ['question']],
    ['waiting_for', ['waiting_for']],
    ['follow_up', ['follow_up']],
  ];
  for (const [kind, members] of groups) {
    const wanted = labels.filter((label) => members.includes(label.kind));
    const got = loops.filter((loop) => members.includes(loop.kind));
    const pairs = tally.compare(
      kind,
      name,
      wanted.map((label) => label.text),
      got.map((loop) => loop.text),
    );
    for (const [label, loop] of pairs) {
      const status = { label: wanted[label]?.status ?? 'open', got: got[loop]?.status };
      if (kind === 'task') tally.value('task status', name, status.label, status.got);
      tally.value('task due', name, wanted[label]?.due, got[loop]?.due);
    }
  }
}

async function measureMeeting(sample: Sample, reading: Readings, tally: Tally): Promise<void> {
  const { name, meeting } = sample;
  if (!meeting) return;
  const got = await meetingIn(sample.text, reading);
  tally.compare('attendee', name, meeting.attendees, got.meeting.attendees);
  tally.compare(
    'risk',
    name,
    meeting.risks,
    got.risks.map(({ text }) => text),
  );
  const pairs = tally.compare(
    'action item',
    name,
    meeting.actions.map(({ text }) => text),
    got.actionItems.map(({ text }) => text),
  );
  for (const [label, action] of pairs) {
    tally.value('action owner', name, meeting.actions[label]?.owner, got.actionItems[action]?.owner);
    tally.value('action due', name, meeting.actions[label]?.due, got.actionItems[action]?.due);
  }
}

function createTally() {
  const figures = Object.fromEntries(
    KINDS.map((kind) => [kind, { found: 0, wrong: 0, missed: 0 }]),
  ) as Record<Kind, { found: number; wrong: number; missed: number }>;
  const mistakes: string[] = [];
  return {
    figures,
    mistakes,
    /** Pairs of label and finding; each is used once. */
    compare(kind: Kind, name: string, labels: readonly string[], got: readonly string[]): [number, number][] {
      const pairs = matched(labels, got);
      const used = new Set(pairs.map(([, index]) => index));
      const hit = new Set(pairs.map(([index]) => index));
      figures[kind].found += pairs.length;
      for (const [index, text] of got.entries()) {
        if (used.has(index)) continue;
        figures[kind].wrong++;
        mistakes.push(`${name}: ${kind} wrong: ${text}`);
      }
      for (const [index, text] of labels.entries()) {
        if (hit.has(index)) continue;
        figures[kind].missed++;
        mistakes.push(`${name}: ${kind} missed: ${text}`);
      }
      return pairs;
    },
    value(kind: Kind, name: string, label: string | undefined, got: string | undefined): void {
      if (label === undefined && got === undefined) return;
      if (label === got) figures[kind].found++;
      else {
        if (got !== undefined) figures[kind].wrong++;
        if (label !== undefined) figures[kind].missed++;
        mistakes.push(`${name}: ${kind}: ${got} for ${label}`);
      }
    },
  };
}

const LEAST_ALIKE = 0.75;

function matched(labels: readonly string[], got: readonly string[]): [number, number][] {
  const used = new Set<number>();
  const pairs: [number, number][] = [];
  for (const [index, label] of labels.entries()) {
    const likeness = got.map((text, at) => (used.has(at) ? 0 : alike(label, text)));
    const best = Math.max(0, ...likeness);
    if (best < LEAST_ALIKE) continue;
    used.add(likeness.indexOf(best));
    pairs.push([index, likeness.indexOf(best)]);
  }
  return pairs;
}

/** The share of words two texts have in common, each word counted as often as it stands there. */
function alike(a: string, b: string): number {
  const [first, second] = [wordsIn(a), wordsIn(b)];
  const left = [...second];
  const shared = first.filter((word) => {
    const at = left.indexOf(word);
    if (at >= 0) left.splice(at, 1);
    return at >= 0;
  });
  return first.length + second.length === 0 ? 1 : (2 * shared.length) / (first.length + second.length);
}

function wordsIn(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}
