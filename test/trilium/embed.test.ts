/** Images and files in a note: decoded, referred to so that they stay, and checked before anything is written. */
import { describe, expect, test } from 'vitest';
import { addAttachment, scheduledForErasure } from '../../src/stores/trilium/attach.ts';
import { fillPlaceholders, readEmbeds, uploadEmbeds } from '../../src/stores/trilium/embed.ts';
import { asked, caught, failing, start } from './kit.ts';

const NOTES = [{ id: 'note', title: 'N', content: '<p>x</p>' }];
const PNG = { data: 'iVBORw0KGgo=', mime: 'image/png', filename: 'a b"c.png' };
const TEXT = { data: Buffer.from('hällo').toString('base64'), mime: 'text/plain', filename: '<x>.txt' };

async function embedded(html: string, patienceMs?: number) {
  const { fake, client } = await start({ notes: NOTES });
  const embeds = readEmbeds(html, { images: [PNG], files: [TEXT] });
  const uploaded = await uploadEmbeds(client, 'note', embeds);
  const filled = fillPlaceholders(html, 'note', uploaded);
  await client.notes.putContent('note', filled);
  const ids = [...uploaded.images, ...uploaded.files].map(({ attachmentId }) => attachmentId);
  const erased = await scheduledForErasure(client, ids, patienceMs);
  await fake.settled();
  return { fake, client, filled, ids, erased };
}

describe('embedding', () => {
  test.each([
    ['named', '<p><img alt="i" src="image:0"> and <a href="file:0">text</a></p>'],
    ['named in single quotes', "<p><img src='image:0'><a href='file:0'>t</a></p>"],
    ['not named', '<p>nothing</p>'],
  ])('what is %s stays', async (_, html) => {
    const { fake, client, ids, erased, filled } = await embedded(html);
    expect(erased).toEqual([]);
    for (const one of await client.attachments.list('note')) {
      expect(ids).toContain(one.attachmentId);
      expect(one.utcDateScheduledForErasureSince).toBeNull();
    }
    expect(filled).not.toMatch(/(?:image|file):0/);
    expect(filled).not.toContain('a b"c');
    expect(filled).toContain('a%20b%22c.png');
    expect(fake.text('note')).toBe(filled);
  });

  test('a text file is stored as its text, not as base64', async () => {
    const { client, ids } = await embedded('<p></p>');
    const content = await client.attachments.content(ids[1] ?? '');
    expect(Buffer.from(content.bytes).toString()).toBe('hällo');
  });

  test('names are escaped', async () => {
    const { filled } = await embedded('<p></p>');
    expect(filled).toContain('>&lt;x&gt;.txt</a>');
    expect(filled).toContain('?viewMode=attachments&amp;attachmentId=');
  });

  test.each([
    ['an image that is not there', '<img src="image:1">'],
    ['a file that is not there', '<a href="file:3">x</a>'],
    ['a file as an image', '<img src="file:0">'],
    ['an image as a link', '<a href="image:0">x</a>'],
  ])('%s is refused before anything is written', (_, html) => {
    expect(() => readEmbeds(html, { images: [PNG], files: [TEXT] })).toThrow(
      expect.objectContaining({ code: 'invalid_input', title: 'A placeholder names nothing' }),
    );
  });

  test('data that cannot be read is named', () => {
    const bad = { ...TEXT, data: 'no base64!' };
    expect(() => readEmbeds('', { files: [TEXT, bad] })).toThrow(
      expect.objectContaining({ code: 'invalid_input', subject: 'files[1]' }),
    );
    expect(() => readEmbeds('', { images: [TEXT] })).toThrow(
      expect.objectContaining({ subject: 'images[0]' }),
    );
  });

  test('when one upload fails, the others are taken away', async () => {
    const { fake, client } = await start({ notes: NOTES });
    const puts = failing(1, { kind: 'status', status: 500, applies: false });
    let seen = 0;
    fake.faults.fate = ({ method }) => (method === 'PUT' && ++seen === 2 ? puts() : undefined);
    const embeds = readEmbeds('', { images: [PNG], files: [TEXT] });
    await caught(uploadEmbeds(client, 'note', embeds));
    expect(await client.attachments.list('note')).toEqual([]);
  });
});

describe('attachments', () => {
  test('one that nothing refers to is reported', async () => {
    const { fake, client } = await start({ notes: NOTES });
    const { attachmentId } = await addAttachment(client, {
      ownerId: 'note',
      role: 'file',
      mime: 'text/plain',
      title: 'x.txt',
      body: 'x',
    });
    await client.notes.putContent('note', `<a href="api/attachments/${attachmentId}/download">x</a>`);
    await fake.settled();
    expect(await scheduledForErasure(client, [attachmentId], 150)).toEqual([attachmentId]);
  });

  test('one that was scheduled and is referred to again is waited for', async () => {
    const { fake, client } = await start({ notes: NOTES, afterContentMs: 250 });
    const png = { ownerId: 'note', role: 'image', mime: 'image/png', title: 'x.png' };
    const { attachmentId } = await addAttachment(client, { ...png, body: Uint8Array.of(1) });
    await client.notes.putContent('note', '<p></p>');
    await fake.settled();
    await client.notes.putContent('note', `<img src="api/attachments/${attachmentId}/image/x.png">`);
    expect(await scheduledForErasure(client, [attachmentId])).toEqual([]);
  });

  test('an attachment is returned with its bytes in it', async () => {
    const { client } = await start({ notes: NOTES });
    const added = await addAttachment(client, {
      ownerId: 'note',
      role: 'file',
      mime: 'application/pdf',
      title: 'x.pdf',
      body: Uint8Array.of(1, 2, 3),
    });
    expect(added).toMatchObject({ contentLength: 3, utcDateScheduledForErasureSince: null });
  });

  test('none stays behind without its bytes', async () => {
    const { fake, client } = await start({ notes: NOTES });
    fake.faults.fate = ({ method }) => (method === 'PUT' ? { kind: 'reset', applies: false } : undefined);
    const pdf = { ownerId: 'note', role: 'file', mime: 'application/pdf', title: 'x.pdf' };
    await caught(addAttachment(client, { ...pdf, body: Uint8Array.of(1) }));
    expect(await client.attachments.list('note')).toEqual([]);
    expect(asked(fake).filter((line) => line.startsWith('DELETE'))).toHaveLength(1);
  });
});
