/**
 * Counts the values of a JSON text from its bytes, before it is parsed: a short text of very many values takes long to
 * parse and to check, and an object of very many names longest of all. Text within quotation marks is not counted.
 */

export const MAX_VALUES = 30_000;
export const MAX_NAMES = 4_000;

/** A text of fewer bytes cannot have too many values. */
export const ALWAYS_FEW_BYTES = 16 * 1024;

export interface ValueCounter {
  /** Whether there are too many. */
  add(bytes: Uint8Array): boolean;
  /** The next text begins. */
  reset(): void;
}

const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c];
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];
/** What is nested deeper is refused for that. */
const MAX_DEPTH = 128;
const LIST = -1;

export function createValueCounter(): ValueCounter {
  let values = 0;
  let isText = false;
  let isEscaped = false;
  let depth = 0;
  /** Of each open object its names so far; `LIST` for a list. */
  const names = new Int32Array(MAX_DEPTH);
  let isOver = false;

  const mark = (byte: number): void => {
    if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) {
      depth = Math.max(0, depth - 1);
      return;
    }
    if (++values > MAX_VALUES) isOver = true;
    const level = Math.min(depth, MAX_DEPTH) - 1;
    if (byte !== COMMA) {
      if (depth < MAX_DEPTH) names[depth] = byte === OPEN_LIST ? LIST : 0;
      depth++;
    } else if (level >= 0 && names[level] !== LIST && ++names[level]! > MAX_NAMES) isOver = true;
  };
  return {
    add(bytes) {
      for (let at = 0; at < bytes.length && !isOver; at++) {
        const byte = bytes[at]!;
        if (isText) {
          if (isEscaped) isEscaped = false;
          else if (byte === BACKSLASH) isEscaped = true;
          else if (byte === QUOTE) isText = false;
        } else if (byte === QUOTE) isText = true;
        else if (
          byte === COMMA ||
          byte === OPEN_OBJECT ||
          byte === CLOSE_OBJECT ||
          byte === OPEN_LIST ||
          byte === CLOSE_LIST
        )
          mark(byte);
      }
      return isOver;
    },
    reset() {
      values = 0;
      depth = 0;
      isText = false;
      isEscaped = false;
      isOver = false;
    },
  };
}

export function hasTooManyValues(bytes: Uint8Array): boolean {
  return bytes.length > ALWAYS_FEW_BYTES && createValueCounter().add(bytes);
}

const ID = /"id"\s*:\s*(\d{1,15}|"(?:[^"\\]){1,100}")/;
const NEAR_END = 300;

/** The id of a message that is not parsed; undefined where it stands neither near its beginning nor near its end. */
export function idOfUnparsed(bytes: Buffer): string | number | undefined {
  const near = [bytes.subarray(0, NEAR_END), bytes.subarray(-NEAR_END)];
  const found = near.map((part) => ID.exec(part.toString('latin1'))?.[1]).find((one) => one !== undefined);
  return found === undefined ? undefined : (JSON.parse(found) as string | number);
}
