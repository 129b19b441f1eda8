import { expect, test } from 'vitest';
import { createEmptyLists, refersToAttachments } from './empty-lists.ts';

const note = { noteId: 'abcd', type: 'text', blobId: 'b1' };

test('an empty list is believed for half a minute, for the same content and type', () => {
  let now = 0;
  const lists = createEmptyLists(() => now);
  expect(lists.knows('abcd')).toBe(false);
  lists.watch()(note);
  expect(lists.isEmpty(note)).toBe(true);
  expect(lists.isEmpty({ ...note, blobId: 'b2' })).toBe(false);
  expect(lists.isEmpty({ ...note, type: 'code' })).toBe(false);
  expect(lists.isEmpty({ ...note, noteId: 'efgh' })).toBe(false);
  now = 5_000;
  expect(lists.knows('abcd')).toBe(false);
  expect(lists.isEmpty(note)).toBe(false);
});

test('a list that was on its way when an attachment was added is not remembered', () => {
  const lists = createEmptyLists();
  const wasEmpty = lists.watch();
  lists.forget('abcd');
  wasEmpty(note);
  expect(lists.isEmpty(note)).toBe(false);
  lists.watch()(note);
  lists.forget('abcd');
  expect(lists.isEmpty(note)).toBe(false);
});

test.each([
  ['<img src="api/attachments/x1/image/a.png">', true],
  ['<a class="reference-link" href="#root/n?viewMode=attachments&amp;attachmentId=x1">a</a>', true],
  ['<p>attachments</p>', false],
])('%s', (html, refers) => {
  expect(refersToAttachments(html)).toBe(refers);
});
