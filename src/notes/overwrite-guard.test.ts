import { expect, test } from 'vitest';
import { createOverwriteGuard, createSeenVersions, RecentTexts } from './overwrite-guard.ts';
import type { NotePath } from './path.ts';
import type { Note } from './store.ts';

test('two notes whose names differ in letter case alone are two notes', async () => {
  const guard = createOverwriteGuard({
    policy: 'guarded',
    seen: createSeenVersions(),
    texts: new RecentTexts(),
    authorOf: async () => 'a person',
  });
  const [lower, upper] = ['plan.md', 'PLAN.md'] as NotePath[];
  guard.shown({ path: lower!, version: '1' });
  await guard.assertSeen(upper!, undefined);
  await expect(guard.assertSeen(lower!, undefined)).rejects.toThrow('deleted or moved since you read it');
});

test('a note that is asked for in another Unicode form is the one that was shown', async () => {
  const guard = createOverwriteGuard({
    policy: 'seen',
    seen: createSeenVersions(),
    texts: new RecentTexts(),
    authorOf: async () => 'a person',
  });
  const [composed, decomposed] = ['Caf\u00e9.md', 'Cafe\u0301.md'] as NotePath[];
  const note = (version: string): Note => ({
    path: composed!,
    version,
    bytes: Buffer.of(),
    size: 0,
    lastModified: 0,
    contentType: 'text/markdown',
  });
  await guard.shown({ path: composed!, version: '1' });
  await guard.assertSeen(decomposed!, note('1'));
  await expect(guard.assertSeen(decomposed!, note('2'))).rejects.toThrow('changed since you read it');
  await guard.edited(decomposed!, '1', '2');
  await guard.assertSeen(composed!, note('2'));
  await guard.gone(decomposed!);
  await guard.assertSeen(composed!, undefined);
});
