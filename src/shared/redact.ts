/**
 * Redacts log fields: values with the names of secrets, secrets recognizable in texts, and the contents of notes.
 * Returns plain data of bounded size.
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

/** Names of fields with note contents, over all surfaces. */
const CONTENT_NAME =
  /^(?:content|text|body|data|attachment|blob|html|markdown|snippet|patch|diff|(?:old|new)_?(?:string|text|str)|frontmatter|changes|edits|images|files)$/i;

/** Words that follow the name of a scheme in a sentence: "--auth bearer needs at least one token". */
const AFTER_SCHEME =
  '(?:needs|with|without|tokens?|auth|authentication|mode|that|only|scheme|header|credentials?|proofs?)(?=[\\s,;:)]|\\.?(?:\\s|$))';
/** How a problem with a setting goes on: "SB_TOKEN: must not be empty". */
const AFTER_SETTING = '(?:must (?:be|have|name|not)|is missing)\\b';

/** Patterns of secrets inside a text, and the part that may stay. */
const SECRETS_IN_TEXT: readonly (readonly [RegExp, string])[] = [
  [new RegExp(`\\b(Bearer|Basic|DPoP)\\s+(?!${AFTER_SCHEME})[\\w.~+/=-]{4,}`, 'gi'), `$1 ${REDACTED}`],
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
  // HTTP header lines.
  [
    new RegExp(`((?:${SECRET_WORDS})[\\w-]{0,40}:[ \\t])(?!${AFTER_SETTING})[^\\r\\n"]+`, 'gi'),
    `$1${REDACTED}`,
  ],
];

export function isSecretName(name: string): boolean {
  return SECRET_NAME.test(name);
}

export function redact(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return copyEntries(entriesOf(fields), { depth: 0, left: { values: MAX_VALUES } });
}

/** Fast path: no pattern can match without one of these, and most log texts have none. */
const NEEDS_A_LOOK = /[\s=@$"]|eyJ/;

/** Removes secrets that are recognizable by their form. */
export function redactText(text: string, most = MAX_TEXT): string {
  if (text.length <= most && !NEEDS_A_LOOK.test(text)) return text;
  // Twice the maximum length is examined, so that no secret is cut to an unrecognizable form.
  let clean = text.slice(0, 2 * most);
  for (const [pattern, rest] of SECRETS_IN_TEXT) clean = clean.replace(pattern, rest);
  return text.length > most ? `${clean.slice(0, most)}…` : clean;
}

/** Tool arguments for debug logs: one level deep, without secrets, short values, and the shape of the rest. */
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

/** A shape is kept when it is redacted again. */
const SHAPE = /^<(?:string len=\d+|array len=\d+|object)>$/;

/** The type and size of a value without its content; numbers and booleans are kept. */
function shapeOf(value: unknown): unknown {
  if (typeof value === 'string' && SHAPE.test(value)) return value;
  if (typeof value === 'string') return `<string len=${value.length}>`;
  if (Array.isArray(value)) return `<array len=${value.length}>`;
  return typeof value === 'object' && value !== null ? '<object>' : plain(value);
}

interface Place {
  readonly depth: number;
  /** Budget shared by all values of one log line. */
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

/** In a flat list of names and values (raw headers, pairs), the item after a secret's name is the secret. */
function copyList(list: readonly unknown[], place: Place): unknown[] {
  return list.slice(0, MAX_ENTRIES).map((value, at) => {
    const before = list[at - 1];
    return typeof before === 'string' && at > 0 ? copyNamed(before, value, place) : copy(value, place);
  });
}

/** Recognized by tag, because referring to `Headers` would load all of `fetch`. */
const WITH_ENTRIES = /^\[object (?:Map|Headers|URLSearchParams)\]$/;

/** Also handles maps, headers and query parameters. Unreadable properties are left out. */
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
