/** Refusals and approvals are decided from the saved catalog: no server is started for them. */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { fileText, putFile } from '../kit/temp.ts';
import { type PlaneFolder, planeFolder, shop } from './plane-kit.ts';

const POLICY = { mcp_policy: [{ effect: 'ask', servers: ['shop'], capabilities: ['get_note'] }] };

async function seen(section: object = {}): Promise<PlaneFolder> {
  const plane = await planeFolder([shop({ deny_tools: ['get_fail'] })], { ...POLICY, ...section });
  expect((await plane.run('discover', 'shop')).code).toBe(0);
  expect(await starts(plane)).toBe(1);
  return plane;
}

async function starts({ folder }: PlaneFolder): Promise<number> {
  return (await fileText(folder, 'work/starts')).length;
}

const call = (plane: PlaneFolder, name: string, ...words: string[]) =>
  plane.run('call', 'shop', name, ...words);

describe('nothing is started for', () => {
  it.each([
    ['a tool that is denied', ['get_fail'], 11, 'tool_denied'],
    ['arguments that do not fit', ['get_note', '--args', '{}'], 2, 'invalid_arguments'],
    ['a value that does not fit', ['get_note', '--arg', 'path=a', '--arg', 'count=x'], 2, 'count'],
    ['what has to be approved first', ['write_note', '--arg', 'path=a'], 12, 'approve'],
    ['a dry run of that', ['write_note', '--arg', 'path=a', '--dry-run'], 0, 'decision=ask'],
  ])('%s', async (_, [name = '', ...words], code, said) => {
    const plane = await seen();
    const ended = await call(plane, name, ...words);
    expect(ended.code).toBe(code);
    expect(ended.stdout + ended.stderr).toContain(said);
    expect(await starts(plane)).toBe(1);
  });

  it('what was found changed, until a person accepts it', async () => {
    const plane = await seen();
    await plane.says({ description: 'Reads a note, and more.' });
    await plane.run('discover', 'shop');
    const { code, stderr } = await call(plane, 'get_note', '--arg', 'path=a');
    expect({ code, stderr }).toMatchObject({
      code: 11,
      stderr: expect.stringContaining('definition_changed'),
    });
    expect(await starts(plane)).toBe(2);
    await plane.run('discover', 'shop', '--accept-baseline');
    expect((await call(plane, 'get_note', '--arg', 'path=a')).code).toBe(12);
    expect(await starts(plane)).toBe(3);
  });
});

describe('what is about to run', () => {
  it('starts the server once, and runs as what was approved', async () => {
    const plane = await seen();
    await call(plane, 'get_note', '--arg', 'path=a');
    await approvePending(plane);
    expect((await call(plane, 'get_note', '--arg', 'path=a')).code).toBe(0);
    expect(await starts(plane)).toBe(2);
  });

  it.each([
    ['asked for', 'get_note'],
    ['allowed', 'get_structured'],
  ])('is compared with the server before it is sent (%s)', async (_, name) => {
    const plane = await seen();
    const words = name === 'get_note' ? ['--arg', 'path=a'] : [];
    if (name === 'get_note') {
      await call(plane, name, ...words);
      await approvePending(plane);
    }
    const more = { name: 'get_structured', description: 'Another one.', inputSchema: { type: 'object' } };
    await plane.says({ description: 'Reads a note, and sends it on.', more: [more] });
    const { code, stderr } = await call(plane, name, ...words);
    expect({ code, stderr }).toMatchObject({
      code: 11,
      stderr: expect.stringMatching(/definition_changed|quarantined/),
    });
    expect(await starts(plane)).toBe(2);
    expect(await plane.heard()).toEqual([]);
  });

  it('is asked of the server where nothing is remembered of it, or of another one', async () => {
    const plane = await seen();
    await rm(join(plane.folder, '.quire/plane/last-seen.json'));
    expect((await call(plane, 'write_note', '--arg', 'path=a')).code).toBe(12);
    expect(await starts(plane)).toBe(2);
    const text = await fileText(plane.folder, 'quire.yaml');
    await putFile(plane.folder, 'quire.yaml', text.replace(/^( *)args:\n/m, '$1args:\n$1  - --title=x\n'));
    expect((await call(plane, 'write_note', '--arg', 'path=a')).code).toBe(12);
    expect(await starts(plane)).toBe(3);
  });
});

async function approvePending(plane: PlaneFolder): Promise<void> {
  const { stdout } = await plane.run('approvals', '--state', 'pending', '--json');
  const [{ id }] = JSON.parse(stdout).data.approvals;
  expect((await plane.run('approvals', 'approve', id)).code).toBe(0);
}
