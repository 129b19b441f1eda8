import { expect, test } from 'vitest';
import { createOverwriteGuard, createSeenVersions, RecentTexts } from './overwrite-guard.ts';
import type { NotePath } from './path.ts';

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
