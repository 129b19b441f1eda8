/** How a server that Quire has started ends on Windows, shown by injection. */
import { expect, test } from 'vitest';
import { signalGroup } from '../src/upstream/child-process.ts';

test('without process groups, the process and all it has started are ended by taskkill', () => {
  const runs: (readonly string[])[] = [];
  signalGroup(4711, 'SIGTERM', {
    platform: 'win32',
    run: (program, args) => void runs.push([program, ...args]),
  });
  expect(runs).toEqual([['taskkill', '/pid', '4711', '/t', '/f']]);
});
