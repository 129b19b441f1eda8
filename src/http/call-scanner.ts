/**
 * Finds the tool that a JSON-RPC message calls while the message arrives. Only `method` and `params.name` are read; the
 * rest is skipped without being stored. Bad JSON is left for the parser to refuse.
 */
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPENING = new Set([0x7b, 0x5b]);
const CLOSING = new Set([0x7d, 0x5d]);
const OBJECT = 0x7b;
const COLON = 0x3a;
const COMMA = 0x2c;
const BLANKS = new Set([0x20, 0x09, 0x0a, 0x0d]);
/** No method and no tool has a longer name. */
const MAX_NAME = 200;

export function createCallScanner() {
  let depth = 0;
  let isString = false;
  let isEscaped = false;
  let isOther = false;
  /** Beginning of the string or key that is being read. */
  let text = '';
  /** Keys on the path to the current position: of the message, then of its parameters. */
  const keys = ['', '', ''];
  let isValue = false;
  const found: { method?: string; tool?: string } = {};

  const endString = () => {
    if (depth > 2) return;
    if (!isValue) keys[depth] = text;
    else if (depth === 1 && keys[1] === 'method') found.method = text;
    else if (depth === 2 && keys[1] === 'params' && keys[2] === 'name') found.tool = text;
  };
  const takeOutside = (byte: number) => {
    if (depth === 0 && byte !== OBJECT && !BLANKS.has(byte)) isOther = true;
    if (byte === QUOTE) {
      isString = true;
      text = '';
    } else if (OPENING.has(byte)) {
      depth++;
      isValue = false;
    } else if (CLOSING.has(byte)) {
      depth--;
      isValue = true;
    } else if (byte === COLON) isValue = true;
    else if (byte === COMMA) isValue = false;
  };
  /** Returns the position after the string, or the end of the chunk. Each byte is read twice at most. */
  const takeString = (bytes: Buffer, from: number): number => {
    let quote = -1;
    for (let at = from; at < bytes.length; ) {
      if (isEscaped) {
        isEscaped = false;
        at++;
        continue;
      }
      if (quote < at) quote = indexOrEnd(bytes, QUOTE, at);
      const end = at + indexOrEnd(bytes.subarray(at, quote), BACKSLASH, 0);
      if (depth <= 2 && text.length < MAX_NAME)
        text += bytes.toString('latin1', at, Math.min(end, at + MAX_NAME));
      isEscaped = end < quote;
      if (end === quote && quote < bytes.length) {
        isString = false;
        endString();
        return end + 1;
      }
      at = end + 1;
    }
    return bytes.length;
  };

  return {
    push(chunk: Uint8Array): void {
      const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
      for (let at = 0; at < bytes.length && !isOther; ) {
        if (isString) at = takeString(bytes, at);
        else takeOutside(bytes[at++] ?? 0);
      }
    },
    /** The part that has arrived so far. */
    call: found as Readonly<typeof found>,
    /** The text is not a single message. */
    get isOther() {
      return isOther;
    },
  };
}

function indexOrEnd(bytes: Buffer, byte: number, from: number): number {
  const found = bytes.indexOf(byte, from);
  return found < 0 ? bytes.length : found;
}
