/** `quire mcp report`: what happened in a period, in words and in JSON, with the same keys. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, test } from 'vitest';
import { markdownOf } from '../../src/cli/mcp/report.ts';
import { callCapability } from '../../src/governance/call.ts';
import { gatherReport, type Report } from '../../src/governance/report/report.ts';
import { library, type Place, place } from './looks-kit.ts';
import { testServer } from './sandbox-kit.ts';
import { until } from './upstream-kit.ts';

const POLICY = [
  { effect: 'deny', servers: ['library'], capabilities: ['delete*'] },
  { effect: 'ask', servers: ['library'], capabilities: ['never*'] },
];

/** Three calls, one of them failed, one refused; then the server is another. */
async function busyPlace(): Promise<Place> {
  const at = await place([library(), library({ name: 'bad', command: 'bash' })], { mcp_policy: POLICY });
  const plane = await at.plane();
  const call = (name: string, args = {}) =>
    callCapability(plane, { server: 'library', kind: 'tool', name, args, by: 'test' });
  await call('search_books');
  await call('search_books', { fail: true });
  await expect(call('delete_book')).rejects.toThrow('Not allowed');
  await at.configure([library({}, ['second-edition']), library({ name: 'bad', command: 'bash' })], {
    mcp_policy: POLICY,
  });
  const changed = await at.plane();
  await changed.discover(changed.server('library'));
  return at;
}

describe('quire mcp report', () => {
  it('tells what was called, refused, blocked and changed, and what to do', async () => {
    const at = await busyPlace();
    const { code, data } = await at.json<Report>(['report', '--since', '1h']);
    expect(code).toBe(0);
    expect(data).toMatchObject({
      posture: [
        { server: 'library', status: 'quarantined', trust: 'reviewed' },
        { server: 'bad', status: 'blocked', grade: 'F' },
      ],
      blocked_servers: [{ server: 'bad', codes: expect.arrayContaining(['command_is_shell']) }],
      definition_changes: [{ server: 'library', name: 'search_books', change: 'changed' }],
      approvals: { requested: 0, median_wait_s: null },
      calls: [{ server: 'library', ok: 1, tool_error: 1, denied: 1, timeout: 0 }],
      deny_reasons: [{ code: 'policy', count: 1 }],
      rules_without_hits: [{ rule: 'mcp_policy[1]', effect: 'ask' }],
      nested_requests: { roots: 0 },
      exposure: { visible: 0 },
      compiled_resources: [],
    });
    expect(data.definition_changes[0]?.diff).toEqual([
      '- description: "Finds books."',
      '+ description: "Finds books, old and new."',
    ]);
    expect(data.recommended_actions[0]).toMatchObject({
      severity: 'high',
      command: 'quire mcp discover library --full',
    });
    expect(data.recommended_actions.length).toBeLessThanOrEqual(10);
  });

  it('is the same in words, with a section for each key, and goes into a file', async () => {
    const at = await busyPlace();
    const { code, stdout } = await at.run(['report', '--out', 'report.md']);
    expect({ code, stdout }).toEqual({ code: 0, stdout: `Written: ${join(at.folder, 'report.md')}\n` });
    const text = await readFile(join(at.folder, 'report.md'), 'utf8');
    const { data } = await at.json<Report>(['report']);
    const titles = [...text.matchAll(/^## (.*)$/gm)].map(([, title = '']) =>
      title.toLowerCase().replaceAll(' ', '_'),
    );
    expect([...titles, 'period', 'config_digest'].sort()).toEqual(Object.keys(data).sort());
    expect(text).toContain('| library | 1 | 1 | 1 | 0 | 0 | 0 |');
    expect((await at.run(['report', '--out', 'report.md'])).code).toBe(0);
    expect(JSON.parse((await at.run(['report', '--format', 'json'])).stdout).calls).toEqual(data.calls);
  });

  it('lets nothing a server says look like the report', async () => {
    const at = await place();
    const report = await gatherReport(await at.plane(), 0);
    const text = markdownOf({
      ...report,
      deny_reasons: [{ code: 'x | y\n# Title\u202e <b>', count: 1 }],
      definition_changes: [
        {
          server: 's',
          kind: 'tool',
          name: 'n\n## Recommended actions',
          change: 'changed',
          old_fingerprint: null,
          new_fingerprint: 'f'.repeat(64),
          diff: ['+ description: a\n# Title'],
        },
      ],
    });
    expect(text).toContain('| x \\| y # Title \\<b\\> | 1 |');
    expect(text.match(/^#.*(?:Title|actions)$/gm)).toEqual(['## Recommended actions']);
  });

  it('knows what servers asked back', async () => {
    const at = await place(
      [library({ name: 'odd', args: [testServer('odd.mjs')] })],
      {},
      { allowed_file_roots: ['./notes'] },
    );
    const plane = await at.plane();
    const upstream = await plane.upstream(plane.server('odd'));
    await upstream.call('ask', { method: 'roots/list' });
    await plane.close();
    const { data } = await at.json<Report>(['report']);
    expect(data.nested_requests).toMatchObject({ roots: 1, sampling: 0, elicitations_accepted: 0 });
  });

  it('knows it while they run, and a server that asks without end fills no log', async () => {
    const at = await place([library({ name: 'odd', args: [testServer('odd.mjs')] })], {
      mcp_limits: { max_concurrent: 50 },
    });
    const plane = await at.plane();
    const upstream = await plane.upstream(plane.server('odd'));
    const form = {
      message: 'Which?',
      requestedSchema: { type: 'object', properties: { size: { type: 'integer' } } },
    };
    const ask = () => upstream.call('ask', { method: 'elicitation/create', params: form });
    for (let at = 0; at < 40; at++) await ask();
    await until(async () => (await gatherReport(plane, 0)).nested_requests.elicitations_cancelled === 40);
    const events = [];
    for await (const { event } of plane.audit.read()) events.push(event);
    expect(events.filter((event) => event === 'asked')).toHaveLength(30);
  });

  it('speaks of the period alone', async () => {
    const at = await busyPlace();
    const plane = await at.plane();
    expect((await gatherReport(plane, Date.now() + 1)).calls).toEqual([]);
  });

  test.each([[['--since', 'soon']], [['--since', '2999-01-01']], [['--format', 'pdf']]])(
    '%j ends with 2',
    async (words) => {
      const { run } = await place();
      expect((await run(['report', ...words])).code).toBe(2);
    },
  );
});
