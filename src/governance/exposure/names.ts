/**
 * Names at our own endpoint: 1 to 128 of A-Z, a-z, 0-9, `_`, `-` and `.`, the rule of MCP 2025-11-25 for tools. A name of
 * a server that breaks it gets another one, always the same, with a hash of the original in it.
 */
import { sha256 } from '../digest.ts';

const RULE = /^[A-Za-z0-9_.-]{1,128}$/;
const MAX_NAME = 128;
const HASH = 8;
const MAX_SHOWN = 120;

export function fittingName(prefix: string, name: string): string {
  const wished = `${prefix}${name}`;
  if (RULE.test(wished) && name !== '') return wished;
  const hash = sha256(name.toWellFormed()).slice(0, HASH);
  const room = MAX_NAME - prefix.length - HASH - 1;
  const slug = name
    .slice(0, MAX_NAME)
    .replace(/[^A-Za-z0-9_-]+/g, '_')
    .replace(/^_+|_+$/g, '')
    .slice(0, room);
  return `${prefix}${slug || 'tool'}_${hash}`;
}

/** A name for people: everything but plain characters spelled out, and cut. */
export function spelledOut(name: string): string {
  const plain = name
    .slice(0, MAX_SHOWN)
    .replace(/[^\x20-\x7e]/gu, (one) => `\\u{${(one.codePointAt(0) ?? 0).toString(16)}}`);
  return name.length > MAX_SHOWN ? `${plain}… (${name.length} characters)` : plain;
}
