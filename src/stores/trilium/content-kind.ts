/**
 * Classifies content as text or binary by MIME type, ignoring parameters: `application/javascript;env=backend` is
 * text.
 */
const TEXT_ESSENCES = [
  'application/json',
  'application/javascript',
  'application/x-javascript',
  'application/ecmascript',
  'application/typescript',
  'application/sql',
  'application/x-sql',
  'application/xml',
  'application/yaml',
  'application/x-yaml',
  'application/toml',
  'application/x-sh',
  'application/graphql',
];

/** `Text/HTML; charset=utf-8` → `text/html`. */
export function essenceOf(mime: string): string {
  return mime.split(';')[0]?.trim().toLowerCase() ?? '';
}

export function isTextMime(mime: string): boolean {
  const essence = essenceOf(mime);
  return essence.startsWith('text/') || TEXT_ESSENCES.includes(essence) || /\+(?:json|xml)$/.test(essence);
}

/** Undefined for bytes that are not UTF-8. A byte order mark stays in the text. */
export function utf8Text(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    // Binary content is valid.
    return undefined;
  }
}

interface Kind {
  readonly type: string;
  readonly mime: string;
}

/** Whether browsers open the content of a note by its MIME type. */
export function isOpened({ type }: Pick<Kind, 'type'>): boolean {
  return type === 'file' || type === 'image';
}

/** Only file and image notes can hold binary content, by their MIME type; all other types hold text. */
export function holdsText(kind: Kind): boolean {
  return !isOpened(kind) || isTextMime(kind.mime);
}
