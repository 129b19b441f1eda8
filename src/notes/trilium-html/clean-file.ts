/** Files that run when somebody opens them: pages and SVG pictures. All others are bytes like any other. */
import { AppError } from '../../shared/errors.ts';
import { findingsIn } from './can-act.ts';
import { cleanHtml } from './clean-html.ts';
import { cleanSvg } from './clean-svg.ts';

const NAMESPACES = /http:\/\/www\.w3\.org\/(?:1999\/xhtml|2000\/svg)/;

/** The same bytes where there is nothing to leave out. */
export function cleanFile(mime: string, bytes: Uint8Array): Uint8Array {
  const clean = cleanerOf(essenceOf(mime));
  if (!clean) return bytes;
  const text = utf8(bytes);
  const cleaned = text === undefined ? undefined : clean(text);
  if (cleaned === undefined)
    throw new AppError('invalid_input', 'This file could act, and cannot be cleaned', {
      subject: mime.slice(0, 80),
      hint: 'It is not UTF-8, not well-formed, or declares entities. Save it as plain SVG or HTML in UTF-8, or store it as text/plain. Nothing was written.',
    });
  return cleaned === text ? bytes : Buffer.from(cleaned);
}

/** Whether a file of this type is looked into at all. */
export function mayAct(mime: string): boolean {
  return cleanerOf(essenceOf(mime)) !== undefined;
}

function essenceOf(mime: string): string {
  return mime.split(';')[0]?.trim().toLowerCase() ?? '';
}

function cleanerOf(essence: string): ((text: string) => string | undefined) | undefined {
  if (essence === 'text/html') return (html) => (findingsIn(html).canAct ? cleanHtml(html) : html);
  if (essence === 'image/svg+xml' || essence === 'application/xhtml+xml') return cleanSvg;
  if (!/(?:\/|\+)xml$/.test(essence)) return undefined;
  // Any XML can hold parts of a page; without their namespaces it is data.
  return (xml) => (NAMESPACES.test(xml) || /<!ENTITY|&#/.test(xml) ? cleanSvg(xml) : xml);
}

function utf8(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    // Then nobody can tell what is in it.
    return undefined;
  }
}
