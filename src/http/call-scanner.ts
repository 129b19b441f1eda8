/**
 * Which tool a JSON-RPC message calls, found while it arrives: large messages are looked at before they are whole. Only
 * `method` and `params.name` are read; whatever else is there, however long, is passed over without being kept. What is
 * no JSON is left for the parser to refuse.
 */
interface ScannedCall {
  readonly method?: string;
  readonly tool?: string;
}

interface CallScanner {
  push(chunk: Uint8Array): void;
  /** As far as it has been seen. */
  readonly call: ScannedCall;
  /** It is no single message. */
  readonly isOther: boolean;
}

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

export function createCallScanner(): CallScanner {
  let depth = 0;
  let isString = false;
  let isEscaped = false;
  let isOther = false;
  /** What the string or key that is being read says, unless it is too long to matter. */
  let text = '';
  /** Keys on the way to where we are: of the message, then of its parameters. */
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
  /** Where the string ends in a chunk, or else the chunk itself. Each byte is looked at twice at most. */
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
    push(chunk) {
      const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
      for (let at = 0; at < bytes.length && !isOther; ) {
        if (isString) at = takeString(bytes, at);
        else takeOutside(bytes[at++] ?? 0);
      }
    },
    get call() {
      return found;
    },
    get isOther() {
      return isOther;
    },
  };
}

function indexOrEnd(bytes: Buffer, byte: number, from: number): number {
  const found = bytes.indexOf(byte, from);
  return found < 0 ? bytes.length : found;
}
