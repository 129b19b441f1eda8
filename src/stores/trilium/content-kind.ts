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

/** Only file and image notes can hold binary content, by their MIME type; all other types hold text. */
export function holdsText({ type, mime }: { readonly type: string; readonly mime: string }): boolean {
  return (type !== 'file' && type !== 'image') || isTextMime(mime);
}
