/** Looks over the bytes of a text without decoding it: four at a time where they are ASCII, as most are. */
import { BECOMES_ASCII } from './fold.ts';
import { isAloneUnit, isWordUnit } from './tokens.ts';

interface Survey {
  /** As `TokenScanner` counts them, but for the few characters that folding makes several of. */
  readonly tokens: number;
  /** Whether folding may make letters or digits of ASCII of others. */
  readonly mayBecomeAscii: boolean;
}

const IS_LITTLE_ENDIAN = new Uint8Array(Uint32Array.of(1).buffer)[0] === 1;
const HIGH_BIT = 0x80;
const HIGH_BITS = 0x80808080;

/** `bytes` are valid UTF-8. */
export function surveyOf(bytes: Uint8Array): Survey {
  const { length } = bytes;
  const isAligned = IS_LITTLE_ENDIAN && bytes.byteOffset % 4 === 0;
  const fours = new Uint32Array(bytes.buffer, isAligned ? bytes.byteOffset : 0, isAligned ? length >> 2 : 0);
  const rows = fours.length;
  let tokens = 0;
  let mayBecomeAscii = false;
  /** The high bit if the byte before is part of a word. */
  let before = 0;
  for (let at = 0; at < length; ) {
    if ((at & 3) === 0 && at >> 2 < rows) {
      let row = at >> 2;
      for (; row < rows; row++) {
        const four = fours[row]!;
        if ((four & HIGH_BITS) !== 0) break;
        const words = wordBytes(four);
        tokens += Math.imul((words & ~((words << 8) | before)) >>> 7, 0x01010101) >>> 24;
        before = words >>> 24;
      }
      at = row << 2;
      if (at === length) break;
    }
    const first = bytes[at]!;
    const unit = first < 0x80 ? first : unitAt(bytes, at);
    if (isWordUnit(unit)) {
      if (before === 0) tokens++;
      before = HIGH_BIT;
    } else {
      if (isAloneUnit(unit)) tokens++;
      before = 0;
    }
    if (first >= 0x80) mayBecomeAscii ||= becomesAscii(unit);
    at += first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  }
  return { tokens, mayBecomeAscii };
}

/** The high bit of each of four ASCII bytes that is a letter or digit. No sum reaches the next byte. */
function wordBytes(four: number): number {
  const lower = four | 0x20202020;
  const letters = (lower + 0x1f1f1f1f) & ~(lower + 0x05050505);
  const digits = (four + 0x50505050) & ~(four + 0x46464646);
  return (letters | digits) & HIGH_BITS;
}

/** The first UTF-16 unit of the character. */
function unitAt(bytes: Uint8Array, at: number): number {
  const first = bytes[at]!;
  const next = bytes[at + 1]! & 0x3f;
  if (first < 0xe0) return ((first & 0x1f) << 6) | next;
  const third = bytes[at + 2]! & 0x3f;
  if (first < 0xf0) return ((first & 0xf) << 12) | (next << 6) | third;
  const code = ((first & 7) << 18) | (next << 12) | (third << 6) | (bytes[at + 3]! & 0x3f);
  return 0xd800 + ((code - 0x10000) >> 10);
}

const YES = 1;
const known = new Int8Array(0x10000);

function becomesAscii(unit: number): boolean {
  if (known[unit] === 0) known[unit] = BECOMES_ASCII.test(String.fromCharCode(unit)) ? YES : -YES;
  return known[unit] === YES;
}
