import { expect, test } from 'vitest';
import { replaceSeen, VersionMarkers } from './ops/create-note.ts';
import type { NotePath } from './path.ts';
import type { NoteStore, OverwriteGuard } from './store.ts';

const A = 'a.md' as NotePath;
const B = 'b.md' as NotePath;
const seen = (path: NotePath, lastModified: number, version: string) => ({ path, lastModified, version });

test('a number stands for the version it was given out with', () => {
  const markers = new VersionMarkers();
  expect(markers.issue('', seen(A, 5_000, 'v1'))).toBe(5_000);
  expect(markers.judge('', A, 5_000)).toEqual({ kind: 'issued', version: 'v1' });
  expect(markers.judge('', A, 5_001)).toEqual({ kind: 'foreign' });
  expect(markers.judge('', B, 5_000)).toEqual({ kind: 'unknown' });
});

test('two texts within one tick have two numbers, and the same text has one', () => {
  const markers = new VersionMarkers();
  expect(markers.issue('', seen(A, 5_000, 'v1'))).toBe(5_000);
  expect(markers.issue('', seen(A, 5_000, 'v2'))).toBe(5_001);
  expect(markers.issue('', seen(A, 5_001, 'v3'))).toBe(5_002);
  expect(markers.issue('', seen(A, 5_000, 'v1'))).toBe(5_000);
  expect(markers.issue('', seen(A, 5_000, 'v2'))).toBe(5_001);
  expect(markers.judge('', A, 5_000)).toEqual({ kind: 'issued', version: 'v1' });
  expect(markers.judge('', A, 5_001)).toEqual({ kind: 'issued', version: 'v2' });
  expect(markers.size).toBe(3);
});

test('what one caller was given is nothing another one has seen', () => {
  const markers = new VersionMarkers();
  markers.issue('alex', seen(A, 5_000, 'v1'));
  markers.issue('kim', seen(A, 6_000, 'v2'));
  expect(markers.judge('kim', A, 5_000)).toEqual({ kind: 'foreign' });
  expect(markers.judge('sam', A, 5_000)).toEqual({ kind: 'foreign' });
  expect(markers.judge('sam', B, 5_000)).toEqual({ kind: 'unknown' });
});

test('the oldest are forgotten, page and all', () => {
  const markers = new VersionMarkers(2);
  markers.issue('', seen(A, 1, 'v1'));
  markers.issue('', seen(B, 1, 'v1'));
  markers.issue('', seen(A, 1, 'v1'));
  markers.issue('', seen(A, 2, 'v2'));
  expect(markers.size).toBe(2);
  expect(markers.judge('', B, 1)).toEqual({ kind: 'unknown' });
  expect(markers.judge('', A, 1)).toEqual({ kind: 'issued', version: 'v1' });
});

test('one that another server gave counts for what the session was shown', async () => {
  const current = {
    ...seen(A, 6_000, 'v2'),
    bytes: Buffer.from('two'),
    size: 3,
    contentType: 'text/markdown',
  };
  const notes = { read: async () => current, write: async () => current } as Partial<NoteStore> as NoteStore;
  const markers = new VersionMarkers();
  markers.issue('alex', seen(A, 5_000, 'v1'));
  const replace = (marker: number, shown: string | undefined) => {
    const guard = { seen: async () => shown } as Partial<OverwriteGuard> as OverwriteGuard;
    const replacing = { text: 'three', marker, caller: 'alex' };
    return replaceSeen({ notes, rules: [], guard }, A, replacing, markers);
  };
  for (const [marker, shown] of [
    [6_000, undefined],
    [6_000, 'v1'],
    [5_999, 'v2'],
  ] as const)
    await expect(replace(marker, shown)).rejects.toMatchObject({ code: 'conflict' });
  expect(await replace(6_000, 'v2')).toMatchObject({ unchanged: false });
});
