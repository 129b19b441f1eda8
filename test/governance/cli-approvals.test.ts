/** `quire mcp approvals` as a process. */
import { describe, expect, it } from 'vitest';
import { OPERATOR, type PlaneFolder, planeFolder, shop } from './plane-kit.ts';

async function pending(plane: PlaneFolder, tool = 'write_note', path = 'a'): Promise<string> {
  const { stdout } = await plane.run('call', 'shop', tool, '--arg', `path=${path}`, '--json');
  return JSON.parse(stdout).error.details.approval;
}

const approvals = async (plane: PlaneFolder, ...words: string[]) =>
  JSON.parse((await plane.run('approvals', ...words, '--json')).stdout);

describe('approvals', () => {
  it('lists by state and server, and shows the arguments without secrets and the rule that asked', async () => {
    const plane = await planeFolder([shop()], {
      mcp_policy: [{ effect: 'ask', capabilities: ['get_note'] }],
    });
    const secret = `ghp_${'a1B2c3'.repeat(6)}`;
    const id = await pending(plane, 'get_note', secret);
    const { data } = await approvals(plane, 'show', id);
    expect(data).toMatchObject({ id, state: 'pending', rule: 'mcp_policy[0]', requested_by: OPERATOR });
    expect(data.args_preview).not.toContain(secret);
    expect(await approvals(plane, '--state', 'pending', '--server', 'shop')).toMatchObject({
      data: { approvals: [{ id, capability: 'get_note', class: 'read_only' }] },
    });
    expect((await plane.run('approvals')).stdout).toMatch(new RegExp(`^Id .*\n${id} .*get_note`));
    expect(await approvals(plane, 'list', '--state', 'denied')).toMatchObject({ data: { approvals: [] } });
    expect(await approvals(plane, '--state', 'x')).toMatchObject({ ok: false, error: { exit_code: 2 } });
    expect(await approvals(plane, '--server', 'x')).toMatchObject({ ok: false, error: { exit_code: 4 } });
  });

  it('shows long arguments to their end, and is in the audit log with the name of who answered', async () => {
    const plane = await planeFolder([shop()]);
    const id = await pending(plane, 'write_note', `${'x '.repeat(3_000)}the end`);
    expect((await plane.run('approvals', 'show', id)).stdout).toContain('the end');
    await approvals(plane, 'approve', id, '--note', 'fine');
    expect((await plane.audit()).at(-1)).toMatchObject({
      event: 'answered',
      approval: id,
      by: OPERATOR,
      outcome: 'approved',
      note: 'fine',
    });
  });

  it('is denied, and the caller gets the denial; what is decided is not decided again', async () => {
    const plane = await planeFolder([shop()]);
    const id = await pending(plane);
    expect(await approvals(plane, 'deny', id, '--note', 'no')).toMatchObject({
      data: { state: 'denied', decided_by: OPERATOR, note: 'no' },
    });
    expect(await plane.run('call', 'shop', 'write_note', '--arg', 'path=a')).toMatchObject({ code: 11 });
    expect(await approvals(plane, 'approve', id)).toMatchObject({
      error: { exit_code: 2, code: 'conflict' },
    });
  });

  it('is good for always until it is revoked, never for what destroys', async () => {
    const plane = await planeFolder([shop()]);
    const id = await pending(plane);
    await approvals(plane, 'approve', id, '--scope', 'always');
    const call = (path: string) => plane.run('call', 'shop', 'write_note', '--arg', `path=${path}`);
    expect([(await call('b')).code, (await call('c')).code]).toEqual([0, 0]);
    expect(await approvals(plane, 'revoke', id)).toMatchObject({ data: { state: 'revoked' } });
    expect(await call('b')).toMatchObject({ code: 12 });
    const other = await pending(plane, 'delete_note');
    expect(await approvals(plane, 'approve', other, '--scope', 'always')).toMatchObject({
      error: { exit_code: 11 },
    });
  });

  it('refuses what is no id, scope or time, and prunes what is over', async () => {
    const plane = await planeFolder([shop()]);
    const id = await pending(plane);
    expect(await approvals(plane, 'approve', 'apr_x')).toMatchObject({ error: { exit_code: 4 } });
    expect(await approvals(plane, 'approve', id, '--scope', 'x')).toMatchObject({ error: { exit_code: 2 } });
    expect(await approvals(plane, 'approve', id, '--ttl', 'x')).toMatchObject({ error: { exit_code: 2 } });
    expect(await approvals(plane, 'prune')).toMatchObject({ data: { pruned: 0 } });
    await approvals(plane, 'approve', id);
    await approvals(plane, 'revoke', id);
    expect(await approvals(plane, 'prune')).toMatchObject({ ok: true });
  });
});
