/**
 * The wire tests against a real Trilium, below a note that `npm run test:trilium` makes and deletes. Each test has a
 * note of its own there, which it calls `root`. Ids of its notes get an ending, so that no other test has them, and
 * lose it again in answers. What needs the fake is skipped, with the reason.
 */
import { randomBytes } from 'node:crypto';
import { TestRunner } from 'vitest';
import { isAppError } from '../../../src/shared/errors.ts';
import { createTriliumClient, type TriliumClient } from '../../../src/stores/trilium/client.ts';
import type { TriliumNote } from '../../../src/stores/trilium/wire/entities.ts';
import type { Answer } from '../server.ts';
import type { SeedNote } from './seed.ts';

const {
  QUIRE_TRILIUM_URL: url = '',
  QUIRE_TRILIUM_TOKEN: token = '',
  QUIRE_TRILIUM_NOTE: top = '',
} = process.env;

export const isLive = url !== '';
export const liveServer = { url, token };

export function skipLive(reason: string): void {
  if (isLive) TestRunner.getCurrentTest()?.context.skip(`needs the fake: ${reason}`);
}

export interface LiveTrilium {
  readonly client: TriliumClient;
  /** The id a note has there. */
  real(id: string): string;
  /** A call with the ids of the real Trilium, and its answer with the ids of the test. */
  translated(call: Call): Call;
}

type Call = (tool: string, args?: Record<string, unknown>) => Promise<Answer>;

/** Ids in arguments stand under these names. */
const ID_KEYS =
  /^(?:noteId|parentNoteId|newParentNoteId|oldParentNoteId|ancestorNoteId|ownerId|branchId|attributeId)$/;

/** Tools that reach further than the notes of a test. */
const FAR_REACHING = ['get_special_note', 'manage_system'];

export async function plantLive(notes: readonly SeedNote[]): Promise<LiveTrilium> {
  const client = createTriliumClient({ url, token, allow: 'private', schemes: ['http', 'https'] });
  const ending = `x${randomBytes(4).toString('hex')}`;
  const known = new Set<string>();
  const own = await client.notes.create({ parentNoteId: top, title: 'A test', type: 'text', content: '' });
  const rootId = own.note.noteId;
  const locked = new Set<string>();
  const real = (id: string) => {
    if (locked.has(id)) skipLive('a protected note');
    return id === 'root' ? rootId : known.has(id) ? `${id}${ending}` : id;
  };
  remember(notes, known, locked);
  await plant(client, rootId, notes, real);
  await relate(client, notes, real);

  const mapped = (value: unknown, key: string): unknown => {
    if (Array.isArray(value)) return value.map((one) => mapped(one, key));
    if (typeof value === 'object' && value !== null)
      return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, mapped(one, name)]));
    if (typeof value !== 'string') return value;
    if (ID_KEYS.test(key) || key === 'value') return value.split('_').map(real).join('_');
    return value.replace(/^id:(\w+)$/, (_, id: string) => `id:${real(id)}`);
  };
  const back = (text: string) =>
    text.replaceAll(`root/${top}/${rootId}`, 'root').replaceAll(rootId, 'root').replaceAll(ending, '');
  return {
    client,
    real,
    translated:
      (call) =>
      async (tool, args = {}) => {
        if (FAR_REACHING.includes(tool)) skipLive(`${tool} reaches further than the notes of a test`);
        if (tool === 'delete_note' && args.noteId === 'root') skipLive('the root of a real one is not tried');
        for (const key of ['noteId', 'attributeId'])
          if (['create_note', 'set_attribute'].includes(tool) && isNew(args[key]))
            known.add(String(args[key]));
        const scope = /^(?:search_notes|get_note_history)$/.test(tool) ? { ancestorNoteId: 'root' } : {};
        return answered(await call(tool, mapped({ ...scope, ...args }, '') as never), back);
      },
  };
}

function isNew(id: unknown): boolean {
  return typeof id === 'string' && id !== 'root' && /^[A-Za-z0-9]{4,32}$/.test(id);
}

function answered(answer: Answer, back: (text: string) => string): Answer {
  const content = answer.content.map((block) =>
    typeof block.text === 'string' ? { ...block, text: back(block.text) } : block,
  );
  const json = answer.json === undefined ? undefined : JSON.parse(back(JSON.stringify(answer.json)));
  return { ...answer, content, json, text: back(answer.text) };
}

/** A note cannot be made protected over the wire: a test that asks for one of these is skipped. */
function remember(notes: readonly SeedNote[], known: Set<string>, locked: Set<string>): void {
  for (const { id, isProtected = false, children = [] } of notes) {
    if (id !== undefined) (isProtected ? locked : known).add(id);
    remember(children, known, locked);
  }
}

async function plant(
  client: TriliumClient,
  parentNoteId: string,
  seeds: readonly SeedNote[],
  real: (id: string) => string,
): Promise<void> {
  for (const seed of seeds.filter(({ isProtected = false }) => !isProtected)) {
    const { id, title, type = 'text', mime, content = '', created } = seed;
    if (seed.blobId !== undefined) skipLive('a content id of its own choice');
    const { note } = await client.notes.create({
      parentNoteId,
      title,
      type,
      content: typeof content === 'string' ? content : '',
      ...(mime !== undefined && { mime }),
      ...(id !== undefined && { noteId: real(id) }),
      ...(created !== undefined && { dateCreated: `${created}+0000`, utcDateCreated: `${created}Z` }),
    });
    if (typeof content !== 'string') await client.notes.putContent(note.noteId, content);
    for (const [labels, isInheritable] of [
      [seed.labels, false],
      [seed.inherited, true],
    ] as const)
      for (const [name, value] of Object.entries(labels ?? {}))
        await client.attributes.create({ noteId: note.noteId, type: 'label', name, value, isInheritable });
    await plant(client, note.noteId, seed.children ?? [], real);
  }
}

/** When all of them are there. */
async function relate(
  client: TriliumClient,
  seeds: readonly SeedNote[],
  real: (id: string) => string,
): Promise<void> {
  for (const { id = '', relations = {}, children = [] } of seeds) {
    for (const [name, value] of Object.entries(relations))
      await client.attributes.create({ noteId: real(id), type: 'relation', name, value: real(value) });
    await relate(client, children, real);
  }
}

/** Undefined of one that is not there. */
export async function liveNote(client: TriliumClient, noteId: string): Promise<TriliumNote | undefined> {
  return client.notes.get(noteId).catch((error: unknown) => {
    if (isAppError(error, 'not_found')) return undefined;
    throw error;
  });
}

/** Everything below a note that a tool could change. */
export async function liveState(client: TriliumClient, noteId: string): Promise<unknown> {
  const note = await client.notes.get(noteId);
  const [{ bytes }, attachments, revisions, branches] = await Promise.all([
    client.notes.content(noteId),
    client.attachments.list(noteId),
    client.revisions.list(noteId),
    Promise.all(note.childBranchIds.map((id) => client.branches.get(id))),
  ]);
  const below: unknown[] = [];
  for (const id of note.childNoteIds) below.push(await liveState(client, id));
  const { utcDateModified: _, dateModified: __, ...facts } = note;
  return [facts, Buffer.from(bytes).toString('base64'), attachments, revisions, branches, below];
}
