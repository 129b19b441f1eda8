/** Which properties a request may carry, and what the real one says of the others. */
import { etapiError } from './answer.ts';
import type { Database } from './database.ts';

type Validator = (value: unknown) => string | undefined;

export const NOTE_TYPES =
  'text, code, render, file, image, search, relationMap, book, noteMap, mermaid, canvas, webView, launcher, doc, contentWidget, mindMap, spreadsheet, llmChat';

export function checkProperties(
  body: Readonly<Record<string, unknown>>,
  allowed: Readonly<Record<string, Validator>>,
): void {
  for (const [name, value] of Object.entries(body)) {
    const validate = allowed[name];
    if (!validate)
      throw etapiError(400, 'PROPERTY_NOT_ALLOWED', `Property '${name}' is not allowed for this method.`);
    const problem = value === undefined ? undefined : validate(value);
    if (problem !== undefined)
      throw etapiError(
        400,
        'PROPERTY_VALIDATION_ERROR',
        `Validation failed on property '${name}': ${problem}.`,
      );
  }
}

const notNull: Validator = (value) => (value === null ? 'cannot be null' : undefined);

const ofType =
  (type: 'string' | 'number' | 'boolean', words: string): Validator =>
  (value) =>
    notNull(value) ?? (typeof value === type ? undefined : `'${String(value)}' is not ${words}`);

export const text = ofType('string', 'a string');
export const integer = ofType('number', 'an integer');
export const flag = ofType('boolean', 'a boolean');
export const textOrNull: Validator = (value) => (value === null ? undefined : text(value));
/** Looked at later, or never. */
export const anything: Validator = () => undefined;

export const entityId: Validator = (value) =>
  /^[A-Za-z0-9_]{4,128}$/.test(String(value))
    ? undefined
    : `'${String(value)}' is not a valid entityId. Only alphanumeric characters are allowed of length 4 to 32.`;

export const noteType: Validator = (value) =>
  NOTE_TYPES.split(', ').includes(String(value))
    ? undefined
    : `'${String(value)}' is not a valid note type, allowed types are: ${NOTE_TYPES}`;

export const attributeType: Validator = (value) =>
  ['label', 'relation'].includes(String(value))
    ? undefined
    : `'${String(value)}' is not a valid attribute type, allowed types are: label, relation`;

export const localDate: Validator = (value) =>
  /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3}[+-]\d{4}$/.test(String(value))
    ? undefined
    : `Invalid local date time format in '${String(value)}'. Correct format shoud follow example: '2023-08-21 23:38:51.110+0200'`;

export const utcDate: Validator = (value) =>
  /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3}Z$/.test(String(value))
    ? undefined
    : `Invalid UTC date time format in '${String(value)}'. Correct format shoud follow example: '2023-08-21 23:38:51.110Z'`;

export function existingNote(db: Database): Validator {
  return (value) => (db.note(String(value)) ? undefined : `Note '${String(value)}' does not exist`);
}
