import { expect, it } from 'vitest';
import type { ResourceEvents, Resources } from '../../offers.ts';
import { RecentChanges } from './recent-changes.ts';

const URI = 'note:///a.md';
const UPDATED = { jsonrpc: '2.0', method: 'notifications/resources/updated', params: { uri: URI } };

function watched() {
  let events: ResourceEvents | undefined;
  const resources = {
    canonical: (uri: string) => uri,
    watch: (given: ResourceEvents) => {
      events = given;
      return () => {};
    },
  } as Partial<Resources> as Resources;
  const changes = new RecentChanges({ resources });
  return { changes, updated: () => events?.updated(URI) };
}

it('knows nothing of the time before it was started, in which everything may have changed', () => {
  const { changes } = watched();
  expect(changes.isKnown(Date.now() - 1_000)).toBe(false);
  expect(changes.isKnown(Date.now() + 60_000)).toBe(true);
  expect(changes.everything([URI])).toEqual([
    UPDATED,
    { jsonrpc: '2.0', method: 'notifications/resources/list_changed' },
  ]);
});

it('tells of each change that is not among the events', () => {
  const { changes, updated } = watched();
  updated();
  const now = Date.now();
  const time = { since: now, until: now };
  expect(changes.missing(time, [URI], [])).toEqual([UPDATED]);
  expect(changes.missing(time, [], [])).toEqual([]);
  // The replica that ran until then may have heard of it too late.
  const since = (ms: number) => ({ since: now + ms, until: now + ms });
  expect(changes.missing(since(8_000), [URI], [])).toEqual([UPDATED]);
  expect(changes.missing(since(12_000), [URI], [])).toEqual([]);
  const told = { seq: 1, message: UPDATED as never, ageMs: 0 };
  expect(changes.missing(time, [URI], [told])).toEqual([]);
});
