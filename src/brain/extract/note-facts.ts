/** A parsed note, ready for extraction: frontmatter, blocks, day, people. */
import { parseFrontmatter } from '../../notes/frontmatter/parse.ts';
import { stemOf } from '../../notes/path.ts';
import { runAtOnce } from '../../shared/async/time-slices.ts';
import { type Block, scanNote } from './blocks.ts';
import { dayOf, dayOfTime } from './dates/calendar.ts';
import { type DateReading, readDate } from './dates/phrase.ts';
import { namesPeople, peopleOf } from './meetings/people.ts';
import { isRecordOfWork } from './records.ts';
import { isTodoTxt } from './sections.ts';
import type { ExtractOptions } from './types.ts';

export interface NoteFacts {
  readonly sourcePath: string;
  readonly text: string;
  readonly data: Readonly<Record<string, unknown>>;
  readonly blocks: readonly Block[];
  /** The day of the note according to its frontmatter, name or first lines. */
  readonly ownDay: string | undefined;
  readonly dates: DateReading;
  readonly people: readonly string[];
  readonly todoTxt: boolean;
  /** Whether it records what people did and agreed. */
  readonly isRecord: boolean;
}

/** Runs a generator to its end, and may yield to the event loop between two steps. */
export type RunSlices = <T>(steps: Generator<undefined, T>) => Promise<T>;

export const withoutPause: RunSlices = async (steps) => runAtOnce(steps);

export async function readNote(
  text: string,
  reading: ExtractOptions = {},
  run: RunSlices = withoutPause,
): Promise<NoteFacts> {
  const sourcePath = reading.sourcePath ?? '';
  const { data } = await parseFrontmatter(text);
  const todoTxt = isTodoTxtFile(sourcePath, text);
  const blocks = await run(scanNote(text, { todoTxt, includeQuotes: reading.includeQuotes ?? false }));
  const ownDay = reading.referenceDate ?? dayOfNote(data, sourcePath, blocks);
  const fileDay = reading.lastModified === undefined ? undefined : dayOfTime(reading.lastModified);
  const dates = { reference: ownDay ?? fileDay, order: reading.dates };
  const isRecord = isRecordOfWork({ sourcePath, ownDay, hasPeople: namesPeople(data) }, blocks);
  return { sourcePath, text, data, blocks, ownDay, dates, people: peopleOf(data, blocks), todoTxt, isRecord };
}

const BLOCKS_A_STEP = 100;

/** Gathers items from the blocks of a note that are no headings, until there are `most`. */
export function* gatherItems<Item>(
  { blocks }: NoteFacts,
  most: number,
  itemsOf: (block: Block, index: number) => readonly Item[],
): Generator<undefined, Item[]> {
  const items: Item[] = [];
  for (const [index, block] of blocks.entries()) {
    if (index % BLOCKS_A_STEP === BLOCKS_A_STEP - 1) yield;
    if (block.kind !== 'heading' && items.length < most) items.push(...itemsOf(block, index));
  }
  return items;
}

/** Recognized by its name, or by the format of most of its first lines. */
function isTodoTxtFile(sourcePath: string, text: string): boolean {
  if (/(?:^|\/)(?:todo|done)\.txt$|\.todo\.txt$/i.test(sourcePath)) return true;
  const lines = text
    .slice(0, 4_000)
    .split(/\r?\n/)
    .filter((line) => line.trim() !== '');
  const written = lines.slice(0, 20).filter(isTodoTxt).length;
  return written >= 3 && written >= Math.min(20, lines.length) * 0.6;
}

const DAY_KEYS = ['date', 'day', 'meeting_date', 'meeting-date', 'datum'];

function dayOfNote(
  data: Readonly<Record<string, unknown>>,
  sourcePath: string,
  blocks: readonly Block[],
): string | undefined {
  for (const key of DAY_KEYS) {
    const day = dayIn(data[key]);
    if (day !== undefined) return day;
  }
  return dayIn(stemOf(sourcePath)) ?? dayOfHead(blocks);
}

/** The day in the first lines: a title, `Date: …`. */
function dayOfHead(blocks: readonly Block[]): string | undefined {
  for (const block of blocks.slice(0, 8)) {
    const labelled = /^\W*(?:date|datum|when|wann|fecha)\W*[:：]\W*/iu.exec(block.text);
    const day = labelled ? dayInWords(block.text.slice(labelled[0].length)) : undefined;
    if (day !== undefined) return day;
    const ofHeading =
      block.kind === 'heading' && block.level <= 2 ? (dayIn(block.text) ?? dayWithin(block.text)) : undefined;
    if (ofHeading !== undefined) return ofHeading;
  }
  return undefined;
}

const WHOLE_DATES: DateReading = { reference: undefined, order: undefined };

function dayInWords(text: string): string | undefined {
  const value = text.replace(/^\p{L}+,\s+/u, '').trim();
  return dayIn(value) ?? readDate(value, 0, WHOLE_DATES)?.day;
}

/** A complete date within a title, its year included. */
function dayWithin(text: string): string | undefined {
  for (const { index } of text.slice(0, 200).matchAll(/(?<![\p{L}\d])[\p{L}\d]/gu)) {
    const date = readDate(text, index, WHOLE_DATES);
    if (date?.day !== undefined && !date.ambiguous && /\d{4}/.test(text.slice(index, date.end)))
      return date.day;
  }
  return undefined;
}

function dayIn(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined;
  const [, year, month, day] =
    /(?:^|\D)(\d{4})[-_.]?(\d{2})[-_.]?(\d{2})(?:\D|$)/.exec(value.slice(0, 200)) ?? [];
  return day === undefined ? undefined : dayOf(Number(year), Number(month), Number(day));
}

/** The first of these frontmatter values that is text or a number. */
export function textOfField(
  data: Readonly<Record<string, unknown>>,
  ...keys: readonly string[]
): string | undefined {
  for (const key of keys) {
    const value = data[key];
    if (typeof value === 'string' && value.trim() !== '') return value.trim();
    if (typeof value === 'number') return String(value);
  }
  return undefined;
}
