/** The Runtime API without a browser behind it: sums, renames, and scripts that never end. */
import { type Answer, json } from './dialect.ts';
import type { FakeRequest, Space } from './space.ts';

const wedged = new WeakSet<Space>();

export function runtime(space: Space, { body }: FakeRequest): Answer {
  const { dialect, hasRuntime } = space;
  if (!hasRuntime) return json(dialect, { error: 'Runtime API is not enabled' }, 503);
  const script = body.toString();
  if (script === '') return json(dialect, { error: 'Request body is required' }, 400);
  if (script.includes('while true')) wedged.add(space);
  if (wedged.has(space)) return json(dialect, { code: 'timeout', error: 'Request timed out' }, 504);
  const sum = /^(\d+) \+ (\d+)$/.exec(script);
  if (sum) return json(dialect, { result: Number(sum[1]) + Number(sum[2]) });
  const rename = /index\.renamePageCommand", \{oldPage="([^"]+)", page="([^"]+)"\}/.exec(script);
  if (rename) return json(dialect, { result: renamePage(space, rename[1] ?? '', rename[2] ?? '') });
  return json(dialect, { code: 'internal_error', error: 'CDP eval failed: the fake runs no Lua' }, 500);
}

function renamePage({ disk }: Space, from: string, to: string): boolean {
  const file = disk.files.get(`${from}.md`);
  if (!file) return false;
  disk.files.delete(`${from}.md`);
  disk.files.set(`${to}.md`, file);
  for (const [name, { bytes }] of disk.files) {
    const text = bytes.toString().replaceAll(`[[${from}]]`, `[[${to}]]`);
    if (text !== bytes.toString()) disk.seed(name, text);
  }
  return true;
}
