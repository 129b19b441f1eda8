/**
 * Parses JSON while it arrives, so that a large message is not in memory several times. Long strings, files in base64
 * mostly, are taken out as they come; the rest, the outline, has a placeholder for each of them. Syntax is checked by
 * JSON.parse alone, for the outline and for long strings with escapes in them.
 */
import { randomUUID } from 'node:crypto';
import { StringDecoder } from 'node:string_decoder';

interface JsonStreamOptions {
  /** Of the whole message; more must not be pushed. */
  readonly limitBytes: number;
  /** Called with every piece of the outline. */
  readonly onOutline?: (piece: Uint8Array) => void;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;
const LETTER_U = 0x75;
const BLANKS = new Set([0x20, 0x09, 0x0a, 0x0d]);
/** Strings of more bytes are taken out of the outline. */
const LONG_STRING = 4_096;
const NOTHING = Buffer.alloc(0);

export class JsonStream {
  readonly #onOutline: JsonStreamOptions['onOutline'];
  readonly #decoder = new StringDecoder('utf8');
  readonly #raw: RawString;
  /** Random, so that no message can contain a placeholder. */
  readonly #nonce = randomUUID();
  readonly #longStrings = new Map<string, string>();
  #outline = '';
  #outlineBytes = 0;
  #isString = false;
  #isEscaped = false;
  #isLong = false;
  /** The part of an unfinished string in earlier chunks, as long as it is not long. */
  #begun: Buffer = NOTHING;
  /** A long string that has ended; it is a key if a colon follows. */
  #ended: string | undefined;
  #problem: SyntaxError | undefined;

  constructor({ limitBytes, onOutline }: JsonStreamOptions) {
    this.#raw = new RawString(limitBytes);
    this.#onOutline = onOutline;
  }

  get outlineBytes(): number {
    return this.#outlineBytes;
  }

  push(chunk: Buffer): void {
    /** Start of the bytes that are not in the outline yet. */
    let from = 0;
    let at = 0;
    while (at < chunk.length) {
      if (this.#isString) {
        const start = at;
        const end = this.#endOfString(chunk, start);
        from = this.#takeString(chunk, from, { start, end });
        at = end + 1;
      } else {
        if (this.#ended !== undefined) {
          at = skipBlanks(chunk, at);
          from = at;
          if (at === chunk.length) break;
          this.#settle(chunk[at] === COLON);
        }
        const quote = chunk.indexOf(QUOTE, at);
        if (quote < 0) break;
        this.#isString = true;
        at = quote + 1;
      }
    }
    if (from < chunk.length) this.#add(chunk.subarray(from));
  }

  /** Throws a SyntaxError where JSON.parse would. */
  finish(): unknown {
    try {
      if (this.#ended !== undefined) this.#settle(false);
      if (this.#problem) throw this.#problem;
      const value: unknown = JSON.parse(this.#outline + this.#decoder.end());
      return this.#longStrings.size === 0 ? value : putBack(value, this.#longStrings);
    } finally {
      this.close();
    }
  }

  /** Frees the memory of a message that is not needed any more. */
  close(): void {
    this.#raw.clear();
    this.#outline = '';
  }

  #endOfString(chunk: Buffer, start: number): number {
    let isEscaped = this.#isEscaped;
    let at = start;
    for (; at < chunk.length; at++) {
      if (isEscaped) isEscaped = false;
      else if (chunk[at] === BACKSLASH) isEscaped = true;
      else if (chunk[at] === QUOTE) break;
    }
    this.#isEscaped = isEscaped;
    return at;
  }

  /** Returns the start of the bytes that are not in the outline yet, after a string or its part in this chunk. */
  #takeString(chunk: Buffer, from: number, { start, end }: { start: number; end: number }): number {
    const hasEnded = end < chunk.length;
    if (this.#isLong || this.#begun.length + end - start > LONG_STRING) {
      this.#takeLong(chunk, from, { start, end });
      if (!hasEnded) return end;
      this.#endLong();
      return end + 1;
    }
    if (!hasEnded) {
      this.#add(chunk.subarray(from, start));
      this.#begun = Buffer.concat([this.#begun, chunk.subarray(start)]);
      return end;
    }
    this.#add(this.#begun);
    this.#begun = NOTHING;
    this.#isString = false;
    return from;
  }

  #takeLong(chunk: Buffer, from: number, { start, end }: { start: number; end: number }): void {
    if (!this.#isLong) {
      this.#add(chunk.subarray(from, start));
      this.#raw.append(this.#begun);
      this.#begun = NOTHING;
      this.#isLong = true;
    }
    this.#raw.append(chunk.subarray(start, end));
  }

  #endLong(): void {
    this.#isString = false;
    this.#isLong = false;
    try {
      this.#ended = this.#raw.decode();
    } catch (error) {
      this.#problem ??= error as SyntaxError;
      this.#ended = '';
    }
    this.#raw.clear();
  }

  #settle(isKey: boolean): void {
    const text = this.#ended ?? '';
    this.#ended = undefined;
    const placeholder = `${this.#nonce}:${this.#longStrings.size}`;
    if (!isKey) this.#longStrings.set(placeholder, text);
    this.#add(Buffer.from(isKey ? JSON.stringify(text).slice(1) : `${placeholder}"`));
  }

  #add(piece: Buffer): void {
    if (piece.length === 0) return;
    this.#outlineBytes += piece.length;
    this.#outline += this.#decoder.write(piece);
    this.#onOutline?.(piece);
  }
}

function skipBlanks(chunk: Buffer, from: number): number {
  let at = from;
  while (at < chunk.length && BLANKS.has(chunk[at] ?? 0)) at++;
  return at;
}

/** Without recursion: a message may be nested as deep as it is long. */
function putBack(root: unknown, longStrings: ReadonlyMap<string, string>): unknown {
  if (typeof root === 'string') return longStrings.get(root) ?? root;
  const pending: unknown[] = [root];
  while (pending.length > 0) {
    const node = pending.pop();
    if (typeof node !== 'object' || node === null) continue;
    for (const [key, value] of Object.entries(node)) {
      const text = typeof value === 'string' ? longStrings.get(value) : undefined;
      // The property is the object's own, so that even __proto__ is an ordinary name here.
      if (text !== undefined) (node as Record<string, unknown>)[key] = text;
      else if (typeof value === 'object') pending.push(value);
    }
  }
  return root;
}

const GROWTH = 1024 ** 2;
/** Bytes decoded at once; small enough for the garbage to be collected with the young generation. */
const PIECE = 64 * 1024;

/** The bytes of one string between its quotes. A large one grows in place and is freed at once. */
class RawString {
  readonly #limitBytes: number;
  #small: Buffer = NOTHING;
  /** Replaces the small buffer from a megabyte on. */
  #large: ArrayBuffer | undefined;
  #length = 0;
  /** Printable ASCII only and no escapes: its bytes are its characters. */
  #isPlain = true;

  constructor(limitBytes: number) {
    this.#limitBytes = limitBytes;
  }

  append(bytes: Buffer): void {
    const length = this.#length + bytes.length;
    this.#reserve(length);
    this.#memory().set(bytes, this.#length);
    this.#length = length;
    this.#isPlain &&= isPlain(bytes);
  }

  decode(): string {
    const raw = this.#memory().subarray(0, this.#length);
    if (this.#isPlain) return raw.toString('latin1');
    let text = '';
    for (let at = 0; at < raw.length; ) {
      const end = endOfPiece(raw, at);
      text += JSON.parse(`"${raw.toString('utf8', at, end)}"`) as string;
      at = end;
    }
    return text;
  }

  clear(): void {
    this.#large?.resize(0);
    this.#large = undefined;
    this.#length = 0;
    this.#isPlain = true;
  }

  #memory(): Buffer {
    return this.#large ? Buffer.from(this.#large) : this.#small;
  }

  #reserve(length: number): void {
    if (length > GROWTH) {
      this.#large ??= this.#grown();
      if (length > this.#large.byteLength)
        this.#large.resize(Math.min(this.#limitBytes, Math.ceil(length / GROWTH) * GROWTH));
    } else if (length > this.#small.length) {
      const small = Buffer.allocUnsafe(2 * length);
      small.set(this.#small.subarray(0, this.#length));
      this.#small = small;
    }
  }

  #grown(): ArrayBuffer {
    const large = new ArrayBuffer(this.#length, { maxByteLength: this.#limitBytes });
    new Uint8Array(large).set(this.#small.subarray(0, this.#length));
    return large;
  }
}

function isPlain(bytes: Buffer): boolean {
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] ?? 0;
    if (byte < 0x20 || byte > 0x7e || byte === BACKSLASH) return false;
  }
  return true;
}

/** A place to cut that is neither within an escape nor within a character. */
function endOfPiece(raw: Buffer, from: number): number {
  const wanted = Math.min(from + PIECE, raw.length);
  let at = from;
  while (at < wanted) {
    if (raw[at] !== BACKSLASH) at++;
    else at += raw[at + 1] === LETTER_U ? 6 : 2;
  }
  while (at < raw.length && ((raw[at] ?? 0) & 0xc0) === 0x80) at++;
  return Math.min(at, raw.length);
}
