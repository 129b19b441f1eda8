/**
 * Fields for a log line without what must not be in one: the value of anything that is named like a secret, what
 * looks like one inside a text, and what notes say. What comes back is plain data of a bounded size.
 */

const REDACTED = '[redacted]';
const MAX_DEPTH = 5;
const MAX_ENTRIES = 64;
const MAX_VALUES = 500;
const MAX_TEXT = 2_000;
const MAX_NAME = 100;
const MAX_ARGUMENT = 64;

const SECRET_WORDS =
  'authori[sz]ation|cookie|token|passw|passphrase|secret|credential|api[_-]?key|private[_-]?key|session[_-]?id|assertion|verifier|csrf|jwt';
const SECRET_NAME = new RegExp(SECRET_WORDS, 'i');

/** Fields that hold what notes say, in any of the tool surfaces. */
const CONTENT_NAME =
  /^(?:content|text|body|data|attachment|blob|html|markdown|snippet|patch|diff|(?:old|new)_?(?:string|text|str)|frontmatter|changes|edits|images|files)$/i;

/** What gives a secret away in the middle of a text, and how much of it may stay. */
const SECRETS_IN_TEXT: readonly (readonly [RegExp, string])[] = [
  [/\b(Bearer|Basic|DPoP)\s+[\w.~+/=-]{4,}/gi, `$1 ${REDACTED}`],
  [/\beyJ[\w-]{4,}(?:\.[\w-]*){0,2}/g, REDACTED],
  [/\$2[abxy]?\$\d\d\$[./\w]{10,}/g, REDACTED],
  [/\b([a-z][a-z\d+.-]{1,20}:\/\/)[^\s/?#@]{1,200}@/gi, `$1${REDACTED}@`],
  [/([?&#;](?:code|state|nonce)=)[^&#\s"'<>]+/gi, `$1${REDACTED}`],
  [new RegExp(`((?:${SECRET_WORDS})[\\w.%-]{0,40}=)[^&#\\s"'<>]+`, 'gi'), `$1${REDACTED}`],
  [
    new RegExp(
      `("[^"\\n]{0,40}(?:${SECRET_WORDS})[^"\\n]{0,40}"\\s{0,4}:\\s{0,4})(?:"(?:[^"\\\\]|\\\\.)*"?|[^\\s,}]+)`,
      'gi',
    ),
    `$1"${REDACTED}"`,
  ],
  // Headers as they stand on the wire.
  [new RegExp(`((?:${SECRET_WORDS})[\\w-]{0,40}:[ \\t])[^\\r\\n"]+`, 'gi'), `$1${REDACTED}`],
];

export function isSecretName(name: string): boolean {
  return SECRET_NAME.test(name);
}

export function redact(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return copyEntries(entriesOf(fields), { depth: 0, left: { values: MAX_VALUES } });
}

/** Without one of these none of the patterns can match, and most texts of a log have none. */
const NEEDS_A_LOOK = /[\s=@$"]|eyJ/;

/** A text without the secrets that can be told by their form. */
export function redactText(text: string): string {
  if (text.length <= MAX_TEXT && !NEEDS_A_LOOK.test(text)) return text;
  // Twice the length is looked at, so that no secret loses its form at the cut.
  let clean = text.slice(0, 2 * MAX_TEXT);
  for (const [pattern, rest] of SECRETS_IN_TEXT) clean = clean.replace(pattern, rest);
  return text.length > MAX_TEXT ? `${clean.slice(0, MAX_TEXT)}…` : clean;
}

/** What a tool was called with, for debugging: one level without secrets, short values, the shape of the rest. */
export function summarizeArguments(args: unknown): Record<string, unknown> {
  if (typeof args !== 'object' || args === null) return {};
  const entries = entriesOf(args)
    .filter(([name]) => !isSecretName(name))
    .slice(0, MAX_ENTRIES)
    .map(([name, value]) => [
      name.slice(0, MAX_NAME),
      CONTENT_NAME.test(name) ? shapeOf(value) : summaryOf(value),
    ]);
  return Object.fromEntries(entries);
}

function summaryOf(value: unknown): unknown {
  if (typeof value !== 'string') return shapeOf(value);
  const text = redactText(value);
  return text.length > MAX_ARGUMENT ? `${text.slice(0, MAX_ARGUMENT)}…` : text;
}

/** A shape stays what it is when it is redacted again. */
const SHAPE = /^<(?:string len=\d+|array len=\d+|object)>$/;

/** What may be said of a value without saying what it is; numbers and the like say nothing. */
function shapeOf(value: unknown): unknown {
  if (typeof value === 'string' && SHAPE.test(value)) return value;
  if (typeof value === 'string') return `<string len=${value.length}>`;
  if (Array.isArray(value)) return `<array len=${value.length}>`;
  return typeof value === 'object' && value !== null ? '<object>' : plain(value);
}

interface Place {
  readonly depth: number;
  /** Shared by all of one line, so that wide and deep together stay small. */
  readonly left: { values: number };
}

function copyEntries(
  entries: readonly (readonly [string, unknown])[],
  place: Place,
): Record<string, unknown> {
  return Object.fromEntries(
    entries
      .slice(0, MAX_ENTRIES)
      .map(([name, value]) => [name.slice(0, MAX_NAME), copyNamed(name, value, place)]),
  );
}

function copyNamed(name: string, value: unknown, place: Place): unknown {
  if (isSecretName(name)) return REDACTED;
  return CONTENT_NAME.test(name) ? shapeOf(value) : copy(value, place);
}

function copy(value: unknown, { depth, left }: Place): unknown {
  if (left.values-- <= 0) return '…';
  if (typeof value === 'string') return redactText(value);
  if (typeof value !== 'object' || value === null) return plain(value);
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? 'Invalid Date' : value.toISOString();
  if (value instanceof Error) return redactText(`${value.name}: ${value.message}`);
  if (value instanceof URL) return redactText(value.href);
  if (ArrayBuffer.isView(value)) return `<bytes len=${value.byteLength}>`;
  if (depth >= MAX_DEPTH) return '…';
  const below = { depth: depth + 1, left };
  return Array.isArray(value) ? copyList(value, below) : copyEntries(entriesOf(value), below);
}

/** In a list of names and values (raw headers, pairs) what follows a secret's name is the secret. */
function copyList(list: readonly unknown[], place: Place): unknown[] {
  return list.slice(0, MAX_ENTRIES).map((value, at) => {
    const before = list[at - 1];
    return typeof before === 'string' && at > 0 ? copyNamed(before, value, place) : copy(value, place);
  });
}

/** Known by their tags: to name `Headers` is to load all of `fetch`. */
const WITH_ENTRIES = /^\[object (?:Map|Headers|URLSearchParams)\]$/;

/** Also of maps, headers and query parameters. What cannot be read is left out. */
function entriesOf(value: object): [string, unknown][] {
  try {
    if (WITH_ENTRIES.test(Object.prototype.toString.call(value))) {
      const entries = (value as Map<unknown, unknown>).entries();
      return [...entries].map(([name, item]) => [String(name), item]);
    }
    return Object.entries(value);
  } catch {
    return [];
  }
}

function plain(value: unknown): unknown {
  if (typeof value === 'bigint') return String(value);
  return typeof value === 'function' || typeof value === 'symbol' ? `<${typeof value}>` : value;
}
