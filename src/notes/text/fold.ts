/** How text is folded before it is cut into words. */

/**
 * Text made comparable: line endings and Unicode forms are made alike and, if asked, case and accents are
 * dropped, `ß` is `ss`, and curly quotes and long dashes with them. Offsets lead back to the original, so that what is found can be shown or replaced untouched.
 */
export interface FoldOptions {
  readonly ignoreCase?: boolean;
  readonly ignoreAccents?: boolean;
  readonly ignoreLineEndings?: boolean;
}

export interface FoldedText {
  readonly text: string;
  /** The offset in the original of the character that made the folded one at `offset`. */
  originalOffset(offset: number): number;
}

/** Marks, and the Korean letters that join the one before them. */
const JOINS_PREVIOUS = /^[\p{M}\u1160-\u11ff]/u;

export function fold(text: string, folding: FoldOptions): FoldedText {
  if (isAscii(text) && !(folding.ignoreLineEndings && text.includes('\r\n'))) {
    return { text: folding.ignoreCase ? text.toLowerCase() : text, originalOffset: (offset) => offset };
  }
  const out = createUnits(text.length + 64);
  const unitOf = unitFolding(folding);
  /** Where pieces begin. Within one that keeps its length, characters stand one to one. */
  const foldedStarts: number[] = [];
  const originalStarts: number[] = [];
  let inRun = false;
  const begin = (original: number) => {
    foldedStarts.push(out.length());
    originalStarts.push(original);
  };

  for (let at = 0; at < text.length; ) {
    const plainEnd = plainRunEnd(text, at);
    if (plainEnd > at) {
      if (!inRun) begin(at);
      out.addPlain(text.slice(at, plainEnd));
      inRun = true;
      at = plainEnd;
      continue;
    }
    const end = clusterEnd(text, at, folding);
    const unit = end === at + 1 ? unitOf(text.charCodeAt(at)) : MANY;
    if (unit === MANY) {
      begin(at);
      out.addText(foldCluster(text.slice(at, end), folding));
    } else {
      if (!inRun) begin(at);
      out.add(unit);
    }
    inRun = unit !== MANY;
    at = end;
  }
  // The plain runs are in the case of the text: a text of one byte a character is lowered many times faster than they are.
  const folded = folding.ignoreCase ? out.toText().toLowerCase() : out.toText();
  return {
    text: folded,
    originalOffset: (offset) =>
      lookUp(offset, {
        foldedStarts,
        originalStarts,
        foldedLength: folded.length,
        originalLength: text.length,
      }),
  };
}

const PLAIN_RUN = /[\u0000-\u000c\u000e-\u007f]+/y;
/** Below this the loop over characters is as fast. */
const SHORTEST_RUN = 8;

/** Counting bytes takes a tenth of the time that a regular expression takes to look at every character. */
export function isAscii(text: string): boolean {
  return Buffer.byteLength(text) === text.length;
}

/** The end of the ASCII that begins at `at`, short of a letter that the next character may join. */
function plainRunEnd(text: string, at: number): number {
  PLAIN_RUN.lastIndex = at;
  if (!PLAIN_RUN.test(text)) return at;
  const end = PLAIN_RUN.lastIndex;
  const ownEnd = text.charCodeAt(end) >= 0x300 ? end - 1 : end;
  return ownEnd - at < SHORTEST_RUN ? at : ownEnd;
}

/** Stands for a character that does not fold to exactly one. */
const MANY = -1;
const UNKNOWN = -2;
/** Constants of Unicode, filled in as units are met, because all of it at once would delay the start. */
const unitTables = new Map<string, Int32Array>();

/** The unit that a UTF-16 unit alone folds to. */
function unitFolding(folding: FoldOptions): (unit: number) => number {
  const kind = `${folding.ignoreCase === true} ${folding.ignoreAccents === true}`;
  const table = unitTables.get(kind) ?? new Int32Array(0x10000).fill(UNKNOWN);
  unitTables.set(kind, table);
  return (unit) => {
    const known = table[unit] ?? MANY;
    if (known !== UNKNOWN) return known;
    const folded = foldCluster(String.fromCharCode(unit), folding);
    const result = folded.length === 1 ? folded.charCodeAt(0) : MANY;
    table[unit] = result;
    return result;
  };
}

/** A text built unit by unit: a string per character would cost many times its size. */
function createUnits(capacity: number) {
  let units = new Uint16Array(capacity);
  let length = 0;
  /** Every bit that any unit has. */
  let bits = 0;
  const grow = () => {
    const wider = new Uint16Array(units.length + (units.length >> 1) + 64);
    wider.set(units);
    units = wider;
  };
  const add = (unit: number) => {
    if (length === units.length) grow();
    units[length++] = unit;
    bits |= unit;
  };
  return {
    add,
    /** ASCII, by the block. */
    addPlain: (text: string) => {
      while (units.length < length + text.length) grow();
      Buffer.from(units.buffer).write(text, length * 2, 'utf16le');
      length += text.length;
    },
    addText: (text: string) => {
      for (let at = 0; at < text.length; at++) add(text.charCodeAt(at));
    },
    length: () => length,
    // A text that needs one byte a character is searched through in half the time.
    toText: () =>
      bits < 0x100
        ? Buffer.from(units.subarray(0, length)).toString('latin1')
        : Buffer.from(units.buffer, 0, length * 2).toString('utf16le'),
  };
}

/** Where the character at `at` ends, with all that joins it. */
function clusterEnd(text: string, at: number, folding: FoldOptions): number {
  const unit = text.charCodeAt(at);
  if (unit === 13 && folding.ignoreLineEndings && text.charCodeAt(at + 1) === 10) return at + 2;
  let end = at + (unit >= 0xd800 && unit < 0xdc00 && (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1);
  while (text.charCodeAt(end) >= 0x300 && joinsPrevious(text, end)) {
    end += (text.codePointAt(end) ?? 0) > 0xffff ? 2 : 1;
  }
  return end;
}

const JOINING = 1;
const joining = new Int8Array(0x10000);

function joinsPrevious(text: string, at: number): boolean {
  const unit = text.charCodeAt(at);
  if (unit >= 0xd800 && unit < 0xdc00) return JOINS_PREVIOUS.test(text.slice(at, at + 2));
  if (joining[unit] === 0) joining[unit] = JOINS_PREVIOUS.test(text.charAt(at)) ? JOINING : -JOINING;
  return joining[unit] === JOINING;
}

function foldCluster(cluster: string, folding: FoldOptions): string {
  if (cluster === '\r\n') return '\n';
  const letters = folding.ignoreAccents ? plainForm(cluster) : cluster;
  const composed = letters.normalize('NFC');
  // A sigma at the end of a word is another letter in lower case only.
  return folding.ignoreCase ? composed.toLowerCase().replaceAll('ς', 'σ') : composed;
}

/** As people type it: letters without accents, straight quotes, one kind of dash. */
function plainForm(cluster: string): string {
  return cluster
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .replaceAll('ß', 'ss')
    .replaceAll('ẞ', 'SS')
    .replace(/[\u2018-\u201b]/g, "'")
    .replace(/[\u201c-\u201f]/g, '"')
    .replace(/[\u2010-\u2015]/g, '-');
}

/**
 * Letters with accents, ligatures, full-width and fancy forms: what becomes ASCII letters and digits when folded.
 * The marks stand first, because in a class they would join the character before them.
 */
export const BECOMES_ASCII =
  /[\u0300-\u036f\u00aa\u00b2\u00b3\u00b9\u00ba\u00bc-\u00be\u00c0-\u024f\u02b0-\u02b8\u02e1-\u02e3\u1d2c-\u1dbf\u1e00-\u1eff\u2070-\u209f\u20a8\u2100-\u218f\u2460-\u24ff\u2c7c\u2c7d\u3200-\u33ff\ua7f1-\ua7f4\ufb00-\ufb06\uff01-\uff5e\ud835]/;

/** What becomes a space or one of these signs when folded, besides what is in `BECOMES_ASCII`. */
const BECOMES_SIGN: readonly (readonly [signs: string, forms: RegExp])[] = [
  [
    ' ',
    /[\u00a0\u00a8\u00af\u00b4\u00b8\u02d8-\u02dd\u037a\u0384\u0385\u1fbd-\u1ffe\u2000-\u200a\u2017\u202f\u203e\u205f\u3000\u309b\u309c\ufc5e-\ufc63\ufdfa\ufdfb\ufe49-\ufe4c\ufe70-\ufe7e\uffe3]/,
  ],
  ["'", /[\u2018-\u201b]/],
  ['"', /[\u201c-\u201f]/],
  ['-', /[\u2010-\u2015]/],
  ['.', /[\u2024-\u2026]/],
  ['!?', /[\u203c\u2047-\u2049]/],
];
const BECOMES_ANY_SIGN =
  /[\u037e\u1fef\u226e\u226f\u2260\u2a74-\u2a76\ufb29\ufe10-\ufe6f]|\ud83c[\udd00-\udd29]/;

/** With letters and digits in frames, and their signs. */
const BECOMES_ASCII_ANYWHERE = new RegExp(
  `${BECOMES_ASCII.source}|\\ud801\\udfa5|\\ud833[\\udcd6-\\udcf9]|\\ud83c[\\udd00-\\udd90]|\\ud83e[\\udff0-\\udff9]`,
);

/** Whether a text that does not hold the ASCII needle as it is may hold it once folded. */
export function mayHoldFolded(text: string, needle: string): boolean {
  if (isAscii(text)) return false;
  if (BECOMES_ASCII_ANYWHERE.test(text)) return true;
  if (/[^a-z0-9 ]/i.test(needle) && BECOMES_ANY_SIGN.test(text)) return true;
  return BECOMES_SIGN.some(
    ([signs, forms]) => [...signs].some((sign) => needle.includes(sign)) && forms.test(text),
  );
}

interface Pieces {
  readonly foldedStarts: readonly number[];
  readonly originalStarts: readonly number[];
  readonly foldedLength: number;
  readonly originalLength: number;
}

function lookUp(offset: number, pieces: Pieces): number {
  const { foldedStarts, originalStarts } = pieces;
  let low = 0;
  let high = foldedStarts.length;
  while (low + 1 < high) {
    const middle = (low + high) >> 1;
    if ((foldedStarts[middle] ?? 0) <= offset) low = middle;
    else high = middle;
  }
  const start = originalStarts[low] ?? 0;
  const end = originalStarts[low + 1] ?? pieces.originalLength;
  const into = offset - (foldedStarts[low] ?? 0);
  const length = (foldedStarts[low + 1] ?? pieces.foldedLength) - (foldedStarts[low] ?? 0);
  if (into >= length) return end;
  return length === end - start ? start + into : start;
}

export const SEARCH_FOLDING: FoldOptions = { ignoreCase: true, ignoreAccents: true, ignoreLineEndings: true };
