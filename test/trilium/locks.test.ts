/** Writes of several Quires on one machine wait for each other: those to notes, and to attachments. */
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Log } from '../../src/shared/log.ts';
import { createWriteLocks, type WriteLock } from '../../src/stores/trilium/write-lock.ts';
import { createTriliumBackend } from '../../src/surfaces/trilium/backend.ts';
import { temporaryFolder } from '../kit/temp.ts';
import { connectTools, PLAIN, WEB } from '../wire/trilium/support.ts';
import { start } from './kit.ts';

const NOTES = [
  { id: 'abcd', title: 'A', content: '<p>one</p>' },
  { id: 'efgh', title: 'B' },
];

async function begin() {
  const { fake, client } = await start({ notes: NOTES });
  const held: string[] = [];
  const lock: WriteLock = async (name, use) => {
    held.push(name);
    return use();
  };
  const backend = createTriliumBackend(client, { conversion: PLAIN, webBase: WEB, locks: () => lock });
  return { fake, held, ...(await connectTools(backend)) };
}

test('every write to a note or an attachment holds its lock', async () => {
  const { fake, held, ok } = await begin();
  const facts = { ownerId: 'abcd', role: 'data', mime: 'text/plain', title: 't' };
  const { attachmentId } = fake.db.addAttachment(facts, 'x');
  await ok('write_note', { noteId: 'abcd', mode: 'append', content: '<p>two</p>' });
  await ok('write_note', { noteId: 'abcd', mode: 'replace', content: '<p>three</p>' });
  await ok('write_note', { noteId: 'abcd', mode: 'metadata', title: 'Other' });
  expect(held.splice(0)).toEqual(['abcd', 'abcd', 'abcd']);
  const changes = [{ old_string: 'y', new_string: 'z' }];
  await ok('write_attachment', { attachmentId, mode: 'replace', content: 'y' });
  await ok('write_attachment', { attachmentId, mode: 'edit', changes });
  await ok('write_attachment', { attachmentId, mode: 'metadata', title: 'u' });
  await ok('delete_attachment', { attachmentId });
  expect(held.splice(0)).toEqual(Array.from({ length: 4 }, () => attachmentId));
  await ok('delete_note', { noteId: 'efgh', action: 'delete' });
  expect(held).toEqual(['efgh']);
});

test('a lock folder that cannot be used is said once, and the work is done', async () => {
  const parent = await temporaryFolder();
  const folder = join(parent, 'locks');
  await writeFile(folder, 'in the way');
  const said: string[] = [];
  const log: Log = (level, message, fields) => said.push(`${level} ${message} ${fields?.folder}`);
  const locks = createWriteLocks({ folder, log });
  for (const host of ['one', 'two', 'two']) expect(await locks(host)('note', async () => host)).toBe(host);
  expect(said).toEqual([`warn Lock folder unusable ${folder}`]);
});

test('a lock folder that was cleared away is made again', async () => {
  const folder = join(await temporaryFolder(), 'locks');
  const said: string[] = [];
  const lock = createWriteLocks({ folder, log: (_, message) => said.push(message) })('host');
  expect(await lock('note', async () => 1)).toBe(1);
  await rm(folder, { recursive: true });
  expect(await lock('note', async () => 2)).toBe(2);
  expect(said).toEqual([]);
});
