/** Shared set-up of the wire tests of the Trilium tools: a fake Trilium, and a client of the tools in front of it. */
import { expect, onTestFinished } from 'vitest';
import type { ToolCallRecord } from '../../../src/mcp/tool.ts';
import { limitSurface } from '../../../src/mcp/tool-list.ts';
import type { Log } from '../../../src/shared/log.ts';
import type { Principal } from '../../../src/shared/principal.ts';
import type { AttachmentToAdd } from '../../../src/stores/trilium/attach.ts';
import type { TriliumClient } from '../../../src/stores/trilium/client.ts';
import type { Conversion } from '../../../src/stores/trilium/conversion.ts';
import { cleanFile, cleanHtml } from '../../../src/stores/trilium/html/clean.ts';
import {
  appendedHtml as appended,
  editedHtml as edited,
  joinHtml as joined,
} from '../../../src/stores/trilium/html/conversions.ts';
import { toHtml } from '../../../src/stores/trilium/html/to-html.ts';
import { toMarkdown } from '../../../src/stores/trilium/html/to-markdown.ts';
import type { Attachment, TriliumNote } from '../../../src/stores/trilium/wire/entities.ts';
import { createTriliumBackend, type TriliumBackend } from '../../../src/surfaces/trilium/backend.ts';
import { triliumSurfaceWith } from '../../../src/surfaces/trilium/surface.ts';
import { type Answer, connectTo, QUIET, type ToolClient } from '../../kit/server.ts';
import { isLive, liveNote, liveState, plantLive, skipLive } from '../../kit/trilium/live.ts';
import type { SeedNote } from '../../kit/trilium/seed.ts';
import { type FakeOptions, type FakeTrilium, startTrilium } from '../../kit/trilium/server.ts';
import { clientFor } from '../../trilium/kit.ts';

export interface WithTools extends ToolClient {
  /** The answer, which has worked. */
  readonly ok: (tool: string, args?: Record<string, unknown>) => Promise<Answer>;
}

/** Access to the state of a Trilium, fake or real. */
export interface TriliumInspector {
  /** The content of a note. */
  text(noteId: string): Promise<string>;
  bytes(noteId: string): Promise<Buffer>;
  /** Undefined of a note that is not there. */
  note(noteId: string): Promise<TriliumNote | undefined>;
  /** All there is, to tell whether anything was changed. */
  state(): Promise<string>;
  /** The contents of a note's revisions, in order. */
  revisions(noteId: string): Promise<string[]>;
  /** A change by another client. */
  edit(noteId: string, content: string): Promise<void>;
  attachment(attachmentId: string): Promise<Attachment & { readonly bytes: Buffer }>;
  /** The id of a new attachment, made by another client. */
  attach(facts: Omit<AttachmentToAdd, 'body'>, content: string | Buffer): Promise<string>;
}

export interface WithTrilium extends WithTools, TriliumInspector {
  /** Missing against a real Trilium: a test that uses it is skipped. */
  readonly fake: FakeTrilium;
  /** The requests so far; none are known of a real one. */
  asked(): string[];
}

export interface Parts extends Omit<FakeOptions, 'notes'> {
  readonly subtree?: string;
  readonly readOnly?: boolean;
  readonly noDelete?: boolean;
  readonly conversion?: Conversion;
  readonly onCalled?: (called: ToolCallRecord) => void;
  readonly session?: string;
  readonly principal?: Principal;
  readonly log?: Log;
}

export const WEB = 'https://notes.example.com';

/** So plain that a test sees whether it was used, and on what. */
export const PLAIN: Conversion = {
  toHtml: (markdown) => `<md>${markdown.replace(/!\[[^\]]*\]\(([^)]*)\)/g, '<img src="$1">')}</md>`,
  toMarkdown: (html) => `md(${html})`,
  clean: (html) => html,
  edited: (_, after) => after,
  joined: (before, addition) => before + addition,
  appended: (before, addition) => before + addition,
  cleanFile: (_, bytes) => bytes,
};

/** The one that is served. */
export const REAL: Conversion = {
  toHtml,
  toMarkdown,
  clean: cleanHtml,
  edited,
  joined,
  appended,
  cleanFile,
};

export async function withTrilium(notes: readonly SeedNote[] = [], parts: Parts = {}): Promise<WithTrilium> {
  const { subtree, conversion = PLAIN, ...others } = parts;
  const { readOnly = false, noDelete = false, onCalled, session, principal, log, ...fakeOptions } = others;
  const tools = {
    readOnly,
    noDelete,
    ...(onCalled && { onCalled }),
    ...(session !== undefined && { session }),
    ...(principal && { principal }),
    ...(log && { log }),
  };
  if (isLive) {
    if (Object.keys(fakeOptions).length > 0) skipLive('a server that is set up in a certain way');
    return withLive(notes, { conversion, ...(subtree !== undefined && { subtree }), ...tools });
  }
  const fake = await startTrilium({ ...fakeOptions, notes });
  const client = clientFor(fake.url);
  const backend = createTriliumBackend(client, { conversion, webBase: WEB, subtree });
  return {
    ...(await connectTools(backend, tools)),
    ...lookingOver(client, (id) => id),
    fake,
    asked: () => fake.requests,
    state: async () => stateOf(fake),
    edit: async (noteId, content) => fake.edit(noteId, content),
  };
}

function lookingOver(client: TriliumClient, real: (id: string) => string): TriliumInspector {
  const { notes, attachments, revisions } = client;
  const buffer = async (content: Promise<{ bytes: Uint8Array }>) => Buffer.from((await content).bytes);
  return {
    text: async (noteId) => (await buffer(notes.content(real(noteId)))).toString(),
    bytes: (noteId) => buffer(notes.content(real(noteId))),
    note: (noteId) => liveNote(client, real(noteId)),
    state: async () => JSON.stringify(await liveState(client, real('root'))),
    revisions: async (noteId) => {
      const list = await revisions.list(real(noteId));
      const ours = list.filter(({ description = '' }) => description.includes('through Quire')).reverse();
      const texts = ours.map(({ revisionId }) => buffer(revisions.content(revisionId)));
      return (await Promise.all(texts)).map(String);
    },
    edit: (noteId, content) => notes.putContent(real(noteId), content),
    attachment: async (attachmentId) => ({
      ...(await attachments.get(attachmentId)),
      bytes: await buffer(attachments.content(attachmentId)),
    }),
    attach: ({ ownerId, ...facts }, body) =>
      somebodysAttachment(client, { ...facts, ownerId: real(ownerId), body }),
  };
}

/** As Trilium takes it, whatever it does to the bytes. */
async function somebodysAttachment(
  { attachments }: TriliumClient,
  { body, ...facts }: AttachmentToAdd,
): Promise<string> {
  const { attachmentId } = await attachments.create({ ...facts, content: '' });
  await attachments.putContent(attachmentId, body);
  return attachmentId;
}

/** The same over a real one. */
async function withLive(
  notes: readonly SeedNote[],
  { conversion = PLAIN, subtree, ...tools }: Parts,
): Promise<WithTrilium> {
  const { client, real, translated } = await plantLive(notes);
  const within = subtree === undefined ? {} : { subtree: real(subtree) };
  const backend = createTriliumBackend(client, { conversion, webBase: WEB, ...within });
  const connected = await connectTools(backend, tools);
  onTestFinished(() => client.close());
  const call = translated(connected.call);
  return {
    ...connected,
    ...lookingOver(client, real),
    call,
    ok: succeeding(call),
    asked: () => [],
    get fake(): FakeTrilium {
      skipLive('it looks into the server');
      throw new Error('there is no fake');
    },
  };
}

function succeeding(call: ToolClient['call']): WithTools['ok'] {
  return async (tool, args) => {
    const answer = await call(tool, args);
    expect(answer.isError, answer.text).toBe(false);
    return answer;
  };
}

/** The tools over any client. */
export async function connectTools(
  backend: TriliumBackend,
  parts: Omit<Parts, keyof FakeOptions | 'subtree' | 'conversion'> = {},
): Promise<WithTools> {
  const { readOnly = false, noDelete = false, ...serverParts } = parts;
  const connected = await connectTo(
    {
      limited: limitSurface(triliumSurfaceWith({ readOnly }), { readOnly, noDelete }),
      backend,
      ...QUIET,
      ...serverParts,
    },
    async () => {},
  );
  return { ...connected, ok: succeeding(connected.call) };
}

export interface TriliumError {
  readonly error: string;
  readonly status?: string;
  readonly code?: string;
  readonly suggestion: string;
}

/** The failure in the documented shape: one text block of three lines, with the flag. */
export function errorOf(answer: Answer): TriliumError {
  expect(answer.isError, answer.text).toBe(true);
  expect(answer.content).toHaveLength(1);
  const found =
    /^\*\*Error\*\*: (?<error>[^\n]+)\n(?:\*\*Status\*\*: (?<status>[^\n]+)\n|\*\*Code\*\*: (?<code>[^\n]+)\n)?\n\*\*Suggestion\*\*: (?<suggestion>[\s\S]+)$/.exec(
      answer.text,
    );
  expect(found, answer.text).not.toBeNull();
  return { ...(found?.groups as unknown as TriliumError) };
}

/** The state of a fake, to tell whether anything was changed. */
export function stateOf({ db }: FakeTrilium): string {
  const tables = [db.notes, db.branches, db.attributes, db.attachments, db.revisions];
  return JSON.stringify([...tables.map((table) => [...table.entries()]), db.backups, [...db.damaged]]);
}

/** Requests that change something, since a moment. */
export function writesOf({ requests }: FakeTrilium): string[] {
  return requests.filter((request) => !request.startsWith('GET '));
}
