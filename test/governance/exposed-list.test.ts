/** The list of exposed capabilities while servers change theirs. Clients may list at another replica. */
import { expect, onTestFinished, test } from 'vitest';
import { openExposed } from '../../src/governance/exposure/list.ts';
import type { Plane } from '../../src/governance/plane.ts';
import type { CatalogEntry } from '../../src/governance/types.ts';
import { silentLog } from '../../src/shared/log.ts';
import { eventually } from '../kit/eventually.ts';
import { planeOf } from './kit.ts';

const SETTINGS = { mcp_permission_mode: 'auto', mcp_policy: [{ effect: 'allow', servers: ['box'] }] };
const BOX = {
  name: 'box',
  transport: 'streamable_http',
  url: 'http://127.0.0.1:1/mcp',
  client_consent: 'approved',
  trust: 'trusted',
  expose: true,
  expose_as: 'plain',
};

const entryOf = (name: string): CatalogEntry => ({
  server: 'box',
  definition: { kind: 'tool', name, description: name },
  fingerprint: name,
  state: 'approved',
  findings: [],
});

/** A server whose list is set by the test, and answers when the test says so. */
function openBox(first: readonly string[]) {
  let tools = first;
  let gate = Promise.resolve();
  const [changed, announced] = [new Set<(kind: 'tools') => void>(), new Set<(...about: string[]) => void>()];
  const parts: Pick<Plane, 'config' | 'now' | 'log'> = {
    config: planeOf(SETTINGS, [BOX]),
    now: () => performance.now(),
    log: silentLog,
  };
  const upstream = {
    onListChanged: (listener: (kind: 'tools') => void) => changed.add(listener),
    onAnnounced: (listener: (...about: string[]) => void) => announced.add(listener),
  };
  // Of a plane, only what the list asks for.
  const plane = {
    ...parts,
    audit: { read: async function* () {} },
    verdict: async () => ({ rejections: [] }),
    upstream: async () => upstream,
    freshCatalog: async () => {
      const entries = tools.map(entryOf);
      await gate;
      return { entries };
    },
  } as unknown as Plane;
  const exposed = openExposed(plane);
  onTestFinished(() => exposed.close());
  return {
    exposed,
    names: async () => (await exposed.look()).map(({ name }) => name),
    set(next: readonly string[]) {
      tools = next;
      for (const listener of announced) listener('list_changed', 'tools');
      for (const listener of changed) listener('tools');
    },
    hold() {
      let open = () => {};
      gate = new Promise((resolve) => {
        open = resolve;
      });
      return open;
    },
  };
}

test('a list that went and came back while nobody looked here counts as changed', async () => {
  const { exposed, names, set } = openBox(['one', 'two']);
  expect(await names()).toEqual(['one', 'two']);
  set(['one']);
  let told = 0;
  exposed.watch((list) => list === 'tools' && told++);
  set(['one', 'two']);
  await eventually(() => expect(told).toBe(1));
  set(['one', 'two']);
  await names();
  expect(told).toBe(1);
});

test('a change during a refresh is in the list that is asked for after it', async () => {
  const { exposed, names, set, hold } = openBox(['one']);
  await names();
  let told = 0;
  exposed.watch((list) => list === 'tools' && told++);
  const open = hold();
  set(['two']);
  const early = names();
  await new Promise((resolve) => setImmediate(resolve));
  set(['three']);
  const late = names();
  open();
  expect([await early, await late]).toEqual([['two'], ['three']]);
  await eventually(() => expect(told).toBe(2));
});
