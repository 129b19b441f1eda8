/** Tags: what looks like one but is not stays out of the frontmatter, and nothing else of the note moves. */
import { expect, test } from 'vitest';
import { bytesOf, served } from './served.ts';

const LOOKALIKES = `---
tags: [a,  b]   # mine
other: kept
---

#include <stdio.h>
Colour #fff000 and #09f and #a1b2c3d4, issue #12, see https://example.org/page#frag and [x](y.md#frag).
[[note#heading]] \`#code\` <a href="#anchor">link</a> C# and a#b

\`\`\`sh
#!/bin/sh
#comment
\`\`\`

A real #inline tag and #nested/tag.
`;

test('adding a tag takes no #include, colour, number, heading, address or code for one', async () => {
  const { folder, call } = await served({ 'a.md': LOOKALIKES });
  const listed = await call('manage_tags', { path: 'a.md', operation: 'list' });
  expect(listed.json.tags).toEqual(['a', 'b', 'inline', 'nested/tag']);
  const added = await call('manage_tags', { path: 'a.md', operation: 'add', tags: ['#new'] });
  expect(added.json.frontmatter).toEqual(['a', 'b', 'new']);
  const after = bytesOf(folder, 'a.md').toString();
  expect(after.replace(/^tags:.*\n/m, '')).toBe(LOOKALIKES.replace(/^tags:.*\n/m, ''));
  expect(/^tags:.*$/m.exec(after)?.[0]).toBe('tags: [a,  b,  new]   # mine');
});

test('a colour with a digit missing is no tag either', async () => {
  const { folder, call } = await served({ 'a.md': 'Colour #fff00 here\n' });
  expect((await call('manage_tags', { path: 'a.md', operation: 'add', tags: ['new'] })).json.tags).toEqual([
    'new',
  ]);
  expect(bytesOf(folder, 'a.md').toString().endsWith('Colour #fff00 here\n')).toBe(true);
});

test('a tag that is there already is not added again, and the bytes stay', async () => {
  const { folder, call } = await served({ 'a.md': LOOKALIKES });
  await call('manage_tags', { path: 'a.md', operation: 'add', tags: ['A', '#b'] });
  expect(bytesOf(folder, 'a.md').toString()).toBe(LOOKALIKES);
});

test('removing a tag removes it from the list alone; inline ones only when asked', async () => {
  const { folder, call } = await served({ 'a.md': LOOKALIKES });
  const kept = await call('manage_tags', { path: 'a.md', operation: 'remove', tags: ['b', 'inline'] });
  expect(kept.json.tags).toEqual(['a', 'inline', 'nested/tag']);
  expect((await call('get_frontmatter', { path: 'a.md' })).json.tags).toEqual(['a']);
  const body = LOOKALIKES.slice(LOOKALIKES.indexOf('other:'));
  expect(bytesOf(folder, 'a.md').toString().endsWith(body)).toBe(true);
  const gone = await call('manage_tags', {
    path: 'a.md',
    operation: 'remove',
    tags: ['inline', 'fff000', 'include', 'frag'],
    removeInline: true,
  });
  expect(gone.json.tags).toEqual(['a', 'nested/tag']);
  expect(bytesOf(folder, 'a.md').toString().endsWith(body.replace(' #inline', ''))).toBe(true);
});

test('a tag list in block form under CRLF grows by one line and shrinks back to the same bytes', async () => {
  const text = '---\r\ntitle: x # c\r\ntags:\r\n    - one\r\n    - two # second\r\nlast: 007\r\n---\r\ntext';
  const { folder, call } = await served({ 'a.md': text });
  await call('manage_tags', { path: 'a.md', operation: 'add', tags: ['three'] });
  expect(bytesOf(folder, 'a.md').toString()).toBe(
    text.replace('# second\r\n', '# second\r\n    - three\r\n'),
  );
  await call('manage_tags', { path: 'a.md', operation: 'remove', tags: ['three'] });
  expect(bytesOf(folder, 'a.md').toString()).toBe(text);
});
