/** A file name for a text: its title, its first heading, or its first words, as every system can hold it. */
import { readingText } from '../answer/reading-text.ts';

const MAX_CHARACTERS = 80;
const MAX_BYTES = 200;
const NOT_IN_NAMES = /[\\/:*?"<>|#^[\]\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu;
const DEVICE = /^(?:con|prn|aux|nul|com\d|lpt\d|conin\$|conout\$)$/i;

export interface Named {
  readonly title?: string;
  /** Of the file it comes from, without the extension. */
  readonly fileName?: string;
  readonly body: string;
  /** For a text without a word. */
  readonly hash: string;
}

export function noteName({ title, fileName, body, hash }: Named): string {
  const candidates = [title, fileName, /^# +(.+)$/m.exec(body)?.[1], firstLine(body)];
  const name = candidates
    .map((candidate) => fileSafe(readingText(candidate ?? '')))
    .find((one) => one !== '');
  return `${name ?? `note-${hash.slice(0, 8)}`}.md`;
}

function firstLine(body: string): string {
  return /^[^\S\n]*(\S.*)$/m.exec(body.slice(0, 10_000))?.[1] ?? '';
}

function fileSafe(text: string): string {
  const clean = text.toWellFormed().replace(NOT_IN_NAMES, ' ').replace(/\s+/g, ' ');
  let short = [...clean].slice(0, MAX_CHARACTERS).join('');
  while (Buffer.byteLength(short) > MAX_BYTES) short = [...short].slice(0, -1).join('');
  const name = short.replace(/^[. ]+|[. ]+$/g, '');
  return DEVICE.test(name.split('.')[0] ?? '') ? `note ${name}` : name;
}
