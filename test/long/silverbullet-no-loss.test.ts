/**
 * No acknowledged text is lost, whatever the server and others do: appenders and writers through one store, a careless
 * editor beside them, and a server that tears reads, repeats time stamps, runs out of space, fails, hangs up and dawdles.
 */
import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { updateNote } from '../../src/notes/ops/update-note.ts';
import type { NoteStore } from '../../src/notes/store.ts';
import { textOf } from '../../src/notes/text/text.ts';
import type { AppError } from '../../src/shared/errors.ts';
import { cases } from '../kit/cases.ts';
import { randomFrom } from '../kit/random.ts';
import { type FakeSilverBullet, startSilverBullet } from '../kit/silverbullet/server.ts';
import { at, DIALECTS, storeOver } from '../silverbullet/kit.ts';
import { unleash, type Weather, weathers } from '../silverbullet/weather.ts';

const PAGE = 'page.md';
const BASE = `# Base\n${'text that was there before\n'.repeat(60)}`;
/** The errors allowed while other clients or the server interfere; any other is a defect. */
const HONEST = ['conflict', 'upstream_failed', 'timeout'];

/** Reads what is there, dawdles, and puts it back with a line of its own, whatever happened meanwhile. */
async function edit(fake: FakeSilverBullet, until: () => boolean, random: () => number): Promise<void> {
  for (let line = 0; !until(); line++) {
    const file = fake.disk.files.get(PAGE);
    // The editor ignores other writers, but would notice if the page it opens were empty or broken.
    if (file && file.incoming.length === 0 && file.bytes.toString().startsWith(BASE)) {
      const text = `${file.bytes.toString()}editor ${line}\n`;
      await sleep(random() * 12);
      await fake.put(PAGE, text);
    }
    await sleep(5 + random() * 40);
  }
}

interface Outcome {
  readonly block: string;
  /** How much had happened when it was known. */
  readonly at: number;
  readonly error?: AppError;
}

/** As the tools do it: read, compute, write if unchanged, and again on the newer text. */
async function append(store: NoteStore, block: string): Promise<void> {
  await updateNote(store, at(PAGE), async (note) => `${note ? textOf(note) : ''}${block}`);
}

/** One write, from the text read a moment ago: a writer that is too late must get an error. */
async function rewrite(store: NoteStore, block: string, pause: number): Promise<void> {
  const note = await store.read(at(PAGE));
  await sleep(pause);
  await store.write(at(PAGE), `${textOf(note)}${block}`, { ifVersion: note.version });
}

const figures = {
  runs: 0,
  acknowledged: 0,
  refused: 0,
  overwrittenByEditor: 0,
  editorOverwritten: 0,
  mixed: 0,
};

async function runOnce(dialect: (typeof DIALECTS)[number], weather: Weather): Promise<void> {
  const fake = await startSilverBullet({ dialect, bare: true, files: { [PAGE]: BASE } });
  const store = storeOver(fake, { pauses: [6, 12, 30], timeoutMs: 2_000 });
  unleash(fake, weather);
  const random = randomFrom(weather.seed ^ 0x5bd1e995);
  let isDone = false;
  const editor = weather.hasEditor ? edit(fake, () => isDone, random) : Promise.resolve();
  const work = Array.from({ length: weather.appenders }, async (_, who) => {
    const outcomes: Outcome[] = [];
    for (let round = 0; round < weather.rounds; round++) {
      const block = `[${who}.${round} ${'x'.repeat(Math.floor(random() * 60))}]\n`;
      const work = who % 2 === 0 ? append(store, block) : rewrite(store, block, random() * 10);
      const failed = await work.then(
        () => ({}),
        (error: AppError) => ({ error }),
      );
      outcomes.push({ block, at: fake.happenings.length, ...failed });
    }
    return outcomes;
  });
  const outcomes = (await Promise.all(work)).flat();
  isDone = true;
  await editor;
  fake.faults.fate = () => undefined;
  await store.close();
  judge(fake, outcomes);
}

function judge(fake: FakeSilverBullet, outcomes: readonly Outcome[]): void {
  const page = fake.disk.text(PAGE) ?? '';
  expect(page.startsWith(BASE), 'the text that was there before is there').toBe(true);
  const isMixed = areMixed(fake);
  if (isMixed) figures.mixed++;
  for (const outcome of outcomes) {
    const { block, error } = outcome;
    const count = page.split(block).length - 1;
    if (!isMixed) expect(count, `never there twice: ${block}`).toBeLessThan(2);
    if (error) {
      expect(HONEST, `${error.message} ${error.stack}`).toContain(error.code);
      figures.refused++;
      continue;
    }
    figures.acknowledged++;
    if (count === 0 && isOverwritten(fake, outcome)) figures.overwrittenByEditor++;
    else expect(count, `acknowledged, so it is there: ${block}`).toBeGreaterThan(0);
  }
  expectConditionsKept(
    fake,
    outcomes.map(({ block }) => block),
  );
  figures.runs++;
}

/** Whether the editor finished writing a text without the block after we had written it and seen it there. */
function isOverwritten({ happenings }: FakeSilverBullet, { block, at }: Outcome): boolean {
  const seen = happenings.findLastIndex(
    ({ kind, isForeign, text }, index) => index < at && kind === 'get' && !isForeign && text?.includes(block),
  );
  expect(seen, `acknowledged, so it was seen: ${block}`).toBeGreaterThan(-1);
  return happenings
    .slice(seen)
    .some(({ kind, isForeign, text }) => kind === 'written' && isForeign && !text?.includes(block));
}

/** Two writes in place at the same time leave the end of the longer text behind the shorter one: the server's doing. */
function areMixed({ happenings }: FakeSilverBullet): boolean {
  const writing = new Set<boolean>();
  return happenings.some(({ kind, isForeign }) => {
    if (kind === 'put') writing.add(isForeign);
    if (kind === 'written') writing.delete(isForeign);
    return writing.size === 2;
  });
}

/**
 * Every write of ours is made of what stood there: either the page was still the text we added to, or the editor wrote
 * after we last read that text, which no writer could have seen.
 */
function expectConditionsKept({ happenings }: FakeSilverBullet, blocks: readonly string[]): void {
  const ofPage = happenings.filter(({ name }) => name === PAGE);
  const known = new Set<string | undefined>();
  for (const [at, one] of ofPage.entries()) {
    // A second try and a repair bring nothing new.
    const isNew = !known.has(one.text);
    if (!one.isForeign) known.add(one.text);
    if (one.kind !== 'put' || one.isForeign || !isNew) continue;
    const block = blocks.find((candidate) => one.text?.endsWith(candidate));
    const base = block && one.text?.slice(0, -block.length);
    if (base === undefined || base === one.before) continue;
    const lastRead = ofPage.findLastIndex(
      (earlier, index) => index < at && earlier.kind === 'get' && earlier.text === base,
    );
    const isUnseen = ofPage
      .slice(lastRead + 1, at)
      .some(({ kind, isForeign }) => kind !== 'get' && isForeign);
    if (isUnseen) figures.editorOverwritten++;
    else expect(hash(one.before), 'written over something that was not read').toBe(hash(base));
  }
}

const hash = (text = '') => `${text.length} ${createHash('sha256').update(text).digest('hex').slice(0, 8)}`;

describe('no acknowledged text is lost', () => {
  test.each(DIALECTS)('%s', async (dialect) => {
    const property = fc.asyncProperty(weathers, (weather) => runOnce(dialect, weather));
    await fc.assert(property, { numRuns: cases(25), endOnFailure: true });
    expect(figures.acknowledged).toBeGreaterThan(20);
  });
});
