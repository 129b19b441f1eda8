/**
 * Adds a text to the notes. The call is idempotent; an existing note is replaced or appended to only on request, with a
 * conditional write; nothing is written outside of the notebooks.
 */

import { createHash } from 'node:crypto';
import { parseFrontmatter } from '../../notes/frontmatter/parse.ts';
import { jsonEqual } from '../../notes/frontmatter/print.ts';
import { assertRules, readIfThere, updateNote } from '../../notes/ops/update-note.ts';
import { assertPortable, stemOf } from '../../notes/path.ts';
import type { Note } from '../../notes/store.ts';
import { normalizeTag, tagProblem } from '../../notes/tags.ts';
import { passageRanges } from '../../notes/text/passages.ts';
import { textOf } from '../../notes/text/text.ts';
import { AppError } from '../../shared/errors.ts';
import { type Caller, callerOf } from '../../shared/principal.ts';
import { printable } from '../../shared/printable.ts';
import { readingText } from '../answer/sentences.ts';
import { isMarkdown, type Source } from '../types.ts';
import {
  type Addition,
  appendedText,
  type Destination,
  destinationOf,
  holds,
  wholeText,
} from './destination.ts';
import { readAllowedFile } from './read-file.ts';

const MAX_CHARACTERS = 80;
const MAX_NAME_BYTES = 200;
const NOT_IN_NAMES = /[\\/:*?"<>|#^[\]\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu;
const DEVICE = /^(?:con|prn|aux|nul|com\d|lpt\d|conin\$|conout\$)$/i;

interface NoteName {
  readonly title?: string;
  /** Name of the ingested file, without the extension. */
  readonly fileName?: string;
  readonly body: string;
  /** Fallback name for a text without words. */
  readonly hash: string;
}

/** A portable file name: from the title, the source file, the first heading, or the first line. */
function noteName({ title, fileName, body, hash }: NoteName): string {
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
  while (Buffer.byteLength(short) > MAX_NAME_BYTES) short = [...short].slice(0, -1).join('');
  const name = short.replace(/^[. ]+|[. ]+$/g, '');
  return DEVICE.test(name.split('.')[0] ?? '') ? `note ${name}` : name;
}

interface IngestParts {
  readonly sources: readonly Source[];
  /** Absolute paths. */
  readonly allowedFileRoots: readonly string[];
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

export interface IngestRequest {
  /** Exactly one of `content` and `path` is given. */
  readonly content?: string;
  readonly path?: string;
  readonly title?: string;
  readonly tags?: readonly string[];
  /** A folder or a note; begins with the notebook's name when there are several. */
  readonly dest?: string;
  readonly onConflict: 'error' | 'append' | 'replace';
  readonly dryRun: boolean;
}

interface IngestOutcome {
  /** The id of the change in the history, if a note was changed. */
  readonly change?: string;
  readonly status: 'created' | 'updated' | 'unchanged' | 'dry_run';
  readonly sourcePath: string;
  /** Hash of the given text. */
  readonly contentHash: string;
  /** Number of passages of the note. */
  readonly chunks: number;
  /** Size of the note. */
  readonly bytes: number;
  readonly warnings: readonly string[];
}

export const MAX_BYTES = 1024 * 1024;

export async function ingest(
  parts: IngestParts,
  request: IngestRequest,
  call: IngestCall = {},
): Promise<IngestOutcome> {
  const { content, fileName } = await contentOf(parts, request);
  const hash = createHash('sha256').update(content).digest('hex');
  const addition = additionOf(parts, request, content);
  const { body, data } = await parseFrontmatter(content);
  const title = addition.title ?? (typeof data.title === 'string' ? data.title : undefined);
  const destination = destinationOf(parts.sources, request.dest, noteName({ body, hash, title, fileName }));
  const { status, text, warnings, change } = await put(destination, addition, request, call);
  return {
    status,
    change,
    sourcePath: destination.sourcePath,
    contentHash: `sha256:${hash}`,
    chunks: passageRanges(text, isMarkdown(destination.sourcePath)).length,
    bytes: Buffer.byteLength(text),
    warnings,
  };
}

async function contentOf(
  { allowedFileRoots }: IngestParts,
  { content, path }: IngestRequest,
): Promise<{ content: string; fileName?: string }> {
  if ((content === undefined) === (path === undefined))
    throw new AppError('invalid_input', 'Give either content or path', {
      hint: 'Exactly one of the two says what to add.',
    });
  if (content !== undefined) return { content: usable(content) };
  const { bytes, name } = await readAllowedFile(path ?? '', allowedFileRoots, MAX_BYTES);
  const text = textOf({ path: name as Note['path'], bytes });
  return { content: usable(text), fileName: stemOf(name) };
}

function usable(content: string): string {
  const refuse = (title: string, hint: string) => new AppError('invalid_input', title, { hint });
  const size = Buffer.byteLength(content);
  if (size > MAX_BYTES)
    throw new AppError('invalid_input', 'Content too large', {
      reason: 'too_large',
      hint: `It has ${size} bytes; the limit is ${MAX_BYTES}. Split it into several notes.`,
    });
  if (content.trim() === '') throw refuse('Nothing to add', 'The content is empty.');
  if (content.includes('\0')) throw refuse('Not a text', 'The content holds binary data.');
  if (!content.isWellFormed()) throw refuse('Not a text', 'The content is not valid Unicode.');
  return content;
}

const MAX_TITLE = 300;

function additionOf({ now }: IngestParts, { title, tags = [] }: IngestRequest, content: string): Addition {
  const named = title?.trim();
  if (named !== undefined && named.length > MAX_TITLE)
    throw new AppError('invalid_input', 'Title too long', { hint: `The limit is ${MAX_TITLE} characters.` });
  const clean = [...new Set(tags.map(normalizeTag))];
  for (const tag of clean) {
    const problem = tagProblem(tag);
    if (problem !== undefined)
      throw new AppError('invalid_input', 'Invalid tag', {
        subject: tag.slice(0, 100),
        hint: `It ${problem}.`,
      });
  }
  const created = new Date(now()).toISOString().replace(/\.\d{3}Z$/, 'Z');
  return { content, tags: clean, created, title: named || undefined };
}

export interface IngestCall extends Caller {
  readonly signal?: AbortSignal;
}

interface WriteOutcome {
  readonly status: IngestOutcome['status'];
  /** The note's text after the write. */
  readonly text: string;
  readonly warnings: readonly string[];
}

async function put(
  destination: Destination,
  addition: Addition,
  request: IngestRequest,
  { signal, ...caller }: IngestCall,
): Promise<WriteOutcome & Pick<IngestOutcome, 'change'>> {
  const { source, path } = destination;
  const changes = source.changesBy?.(callerOf(caller));
  const { notes } = changes ?? source.notebook;
  const planned: { put?: WriteOutcome } = {};
  const plan = async (current: Note | undefined) => {
    if (request.onConflict === 'replace') await changes?.guard?.assertSeen(path, current);
    const next = await planFor(current, destination, addition, request);
    planned.put = next;
    return next.status === 'unchanged' ? undefined : next.text;
  };
  if (request.dryRun) await plan(await readIfThere(notes, path));
  else await updateNote(notes, path, plan, signal);
  const { status, text, warnings } = planned.put!;
  if (!request.dryRun) {
    const { notices = [], proposal } = (await changes?.finish?.()) ?? {};
    return { status, text, warnings: [...notices, ...warnings], change: changes?.changeId() ?? proposal };
  }
  return {
    status: 'dry_run',
    text,
    warnings: [`Nothing was written: the note would be ${status}.`, ...warnings],
  };
}

async function planFor(
  current: Note | undefined,
  { source, path }: Destination,
  addition: Addition,
  { onConflict }: IngestRequest,
): Promise<WriteOutcome> {
  const before = current && textOf(current);
  const isAppending = onConflict === 'append' && before !== undefined;
  const text = isAppending ? await appendedText(addition, before) : await wholeText(addition, before);
  const warnings = isAppending ? await appendWarnings(addition, before) : [];
  if (text === before) return { status: 'unchanged', text, warnings };
  if (before === undefined) assertPortable(path);
  else if (onConflict === 'error') throw taken(path);
  else if (onConflict === 'replace' && source.keepsAll) throw kept(path);
  await assertRules({ rules: source.rules ?? [] }, path, text);
  return { status: before === undefined ? 'created' : 'updated', text, warnings };
}

async function appendWarnings({ content, title }: Addition, before: string): Promise<string[]> {
  const [there, added] = [await parseFrontmatter(before), await parseFrontmatter(content)];
  const lost = Object.keys(added.data).filter(
    (key) => key !== 'tags' && !jsonEqual(added.data[key], there.data[key]),
  );
  return [
    ...(holds(there.body, added.body) ? ['The note holds this text already.'] : []),
    ...(title !== undefined && there.data.title !== title ? ['The note keeps its own title.'] : []),
    ...(lost.length > 0 ? [`Left out of the note's frontmatter: ${printable(lost.join(', '), 200)}.`] : []),
  ];
}

function kept(path: string): AppError {
  return new AppError('read_only', 'Notes are not replaced here', {
    subject: path,
    hint: 'Nothing was changed: the notebook has noDelete. Choose another dest, or set on_conflict to append.',
  });
}

function taken(path: string): AppError {
  return new AppError('already_exists', 'Another note is there', {
    subject: path,
    hint: 'Nothing was changed. Choose another dest or title, or set on_conflict to append or replace.',
  });
}
