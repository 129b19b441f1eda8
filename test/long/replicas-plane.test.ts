/** Processes that govern the same servers over one PostgreSQL: approvals, switches and the audit log are one. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { type PlaneFolder, planeFolder, shop } from '../governance/plane-kit.ts';
import { describeWith } from '../kit/needs.ts';
import { freshDatabase, postgresNeed } from '../kit/postgres.ts';
import { temporaryFolder } from '../kit/temp.ts';

const WRITE = ['call', 'shop', 'write_note', '--arg', 'path=a', '--json'];

async function planes(count: number): Promise<PlaneFolder[]> {
  const [postgres, home] = [await freshDatabase(), await temporaryFolder()];
  const section = { mcp_audit: { key_file: join(home, 'audit.key') } };
  return Promise.all(
    Array.from({ length: count }, () => planeFolder([shop()], section, { state: { postgres } })),
  );
}

describeWith(postgresNeed, 'planes on PostgreSQL', () => {
  it('use an approval once although several processes try, in one audit log that verifies everywhere', async () => {
    const [one, other] = (await planes(2)) as [PlaneFolder, PlaneFolder];
    const { stdout } = await one.start(WRITE).ended;
    const { approval } = JSON.parse(stdout).error.details;
    const listed = await other.run('approvals', '--state', 'pending', '--json');
    expect(JSON.parse(listed.stdout)).toMatchObject({ data: { approvals: [{ id: approval }] } });
    expect(await other.run('approvals', 'approve', approval)).toMatchObject({ code: 0 });
    const calls = await Promise.all([1, 2, 3].map(() => one.start(WRITE).ended));
    expect(calls.map(({ code }) => code).sort()).toEqual([0, 12, 12]);
    expect((await one.heard()).filter(({ tool }) => tool === 'write_note').length).toBeLessThanOrEqual(1);
    for (const plane of [one, other])
      expect(await plane.run('audit', 'verify')).toMatchObject({ code: 0, stderr: '' });
    const exported = join(other.folder, 'audit.export');
    expect(await other.run('audit', 'export', '--out', exported)).toMatchObject({ code: 0 });
    expect(await one.run('audit', 'verify', '--file', exported)).toMatchObject({ code: 0 });
    expect(existsSync(join(one.folder, '.quire/plane/audit.jsonl'))).toBe(false);
    expect(await other.run('disable', 'shop')).toMatchObject({ code: 0 });
    expect((await one.start(WRITE).ended).stdout).toContain('switched it off');
  });
});
