/**
 * A scan in steps, none of which takes long, so that other work can run between them. A long text is scanned in slices
 * that overlap, so that what stands across their border is seen whole.
 */

/** Is told at each step whether its time is over; then it ends, and says what it did not look at. */
export type Steps<T> = Generator<undefined, T, boolean>;

/** Runs all steps without a pause. */
export function atOnce<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next(false);
    if (step.done) return step.value;
  }
}

const SLICE = 1_536;
const AHEAD = 768;
const SHORTEST = 480;
/** A slice ends between paragraphs, else lines, else words, if one ends within this many characters. */
const SLACK = 400;
const BORDERS = ['\n\n', '\n', ' '];

export function* slicesOf(text: string): Generator<string> {
  let from = 0;
  // The first ones are short, since expressions that are not compiled yet take several times as long.
  for (let size = SHORTEST; text.length - from > SLICE + AHEAD; size = Math.min(SLICE, size * 2)) {
    yield text.slice(from, from + size + AHEAD);
    from = borderBefore(text, from + size);
  }
  yield text.slice(from);
}

function borderBefore(text: string, most: number): number {
  const end = text.slice(most - SLACK, most);
  for (const border of BORDERS) {
    const at = end.lastIndexOf(border);
    if (at >= 0) return most - SLACK + at + border.length;
  }
  // A run of encoded text is cut at a multiple of four characters from its start, so that both parts can be decoded.
  const run = /[\w+/-]*$/.exec(text.slice(Math.max(0, most - SLICE), most))?.[0].length ?? 0;
  return most - (run % 4);
}
