/** Where a default became stricter, the message names the setting that brings the earlier behaviour back, and the setting does. */
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import { fileText, putFile } from '../kit/temp.ts';
import { type PlaneFolder, planeFolder, shop } from './plane-kit.ts';

const HINT = { readOnlyHint: true };
const MORE = [
  { name: 'get_poison', description: 'Gets the weather.' },
  { name: 'run_query', description: 'Answers a query.', annotations: HINT },
];

async function shopWith(settings: object): Promise<PlaneFolder> {
  const plane = await planeFolder([shop(settings as Record<string, unknown>)]);
  await plane.says({ more: MORE });
  return plane;
}

/** As an operator would, after reading the message. */
async function follow({ folder }: PlaneFolder, settings: object): Promise<void> {
  const config = parse(await fileText(folder, 'quire.yaml'));
  Object.assign(config.control_plane.mcp_servers[0], settings);
  await putFile(folder, 'quire.yaml', stringify(config));
}

it('first definitions wait: first_definitions: accept', async () => {
  const plane = await shopWith({ first_definitions: 'review' });
  const listed = await plane.run('discover', 'shop');
  expect(listed.stderr).toContain('as in earlier versions: first_definitions: accept in its entry');
  const called = await plane.run('call', 'shop', 'get_note', '--arg', 'path=x');
  expect(called).toMatchObject({ code: 11, stderr: expect.stringContaining('first_definitions: accept') });
  const again = await planeFolder([shop({ first_definitions: 'accept' })]);
  expect(await again.run('call', 'shop', 'get_note', '--arg', 'path=x')).toMatchObject({ code: 0 });
  expect((await again.run('discover', 'shop')).stderr).not.toContain('earlier versions');
});

it('a result with findings is fenced: results: { on_finding: pass }', async () => {
  const plane = await shopWith({});
  const way = 'as in earlier versions: results: { on_finding: pass } in the entry of shop';
  const fenced = await plane.run('call', 'shop', 'get_poison');
  expect(fenced).toMatchObject({ code: 0, stderr: expect.stringContaining(way) });
  expect(fenced.stdout).toContain('<<<untrusted');
  await follow(plane, { results: { on_finding: 'pass' } });
  const passed = await plane.run('call', 'shop', 'get_poison');
  expect(passed.stdout).not.toContain('<<<untrusted');
  expect(passed.stderr).not.toContain(way);
  const saved = await plane.run('read-resource', 'shop', 'shop://readme', '--out', join(plane.folder, 'x'));
  expect(saved.stderr).not.toContain('fenced');
});

it("a name beats a server's word: action_classes", async () => {
  const plane = await shopWith({});
  const asked = await plane.run('call', 'shop', 'run_query');
  expect(asked).toMatchObject({ code: 12, stderr: expect.stringContaining('shop says that run_query only') });
  expect(asked.stderr).toContain('action_classes: { run_query: read_only } in its entry');
  await follow(plane, { action_classes: { run_query: 'read_only' } });
  expect(await plane.run('call', 'shop', 'run_query')).toMatchObject({ code: 0 });
});

it('approving needs a terminal: a key for programs', async () => {
  const plane = await shopWith({});
  const { stderr } = await plane.run('call', 'shop', 'write_note', '--arg', 'path=x');
  const id = /apr_\w+/.exec(stderr)?.[0] ?? '';
  const piped = await plane.runAs({}, 'approvals', 'approve', id);
  expect(piped).toMatchObject({ code: 11, stderr: expect.stringContaining('mcp approvals keygen') });
  expect(piped.stderr).toMatch(/mcp_approval_keys.*--key-file or QUIRE_APPROVAL_KEY/);
  expect(await plane.run('approvals', 'approve', id)).toMatchObject({ code: 0 });
  expect(await plane.run('call', 'shop', 'write_note', '--arg', 'path=x')).toMatchObject({ code: 0 });
});
