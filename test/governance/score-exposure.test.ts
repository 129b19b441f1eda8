/** `quire mcp score` and `quire mcp exposure`: from what is remembered, for every server, starting none. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, test } from 'vitest';
import { callCapability } from '../../src/governance/call.ts';
import { library, place } from './looks-kit.ts';

interface ExposureList {
  readonly capabilities: readonly {
    readonly capability: string;
    readonly server: string;
    readonly kind: string;
    readonly reason: string;
  }[];
}

describe('quire mcp score', () => {
  it('tells of every server, the blocked one beside the good one, and starts none', async () => {
    const log = (name: string) => join('.quire/plane', `${name}.log`);
    const { json, folder } = await place([library(), library({ name: 'bad', command: 'bash' })]);
    const { code, data } = await json<{ servers: object[] }>(['score']);
    expect(code).toBe(0);
    expect(data.servers).toMatchObject([
      {
        server: 'library',
        calls: 0,
        success: null,
        p95_ms: null,
        reliability: 60,
        confidence: 'low',
        cap: null,
      },
      { server: 'bad', score: 0, grade: 'F', cap: 'blocked' },
    ]);
    expect([log('library'), log('bad')].some((file) => existsSync(join(folder, file)))).toBe(false);
  });

  it('counts calls and explains every point', async () => {
    const { run, json, plane } = await place();
    const opened = await plane();
    for (const fail of [false, false, true])
      await callCapability(opened, {
        server: 'library',
        kind: 'tool',
        name: 'search_books',
        args: { fail },
        by: 'test',
      });
    const { data } = await json<{ servers: object[] }>(['score', 'library']);
    expect(data.servers).toMatchObject([{ calls: 3, success: 0.667 }]);
    const { stdout } = await run(['score', 'library', '--explain']);
    expect(stdout).toMatch(/^Server +Score +Grade/);
    expect(stdout).toContain('library: posture +30: trust reviewed\n');
    expect(stdout).toContain('2 of 3 calls ok, 1 tool errors');
  });

  it('ends with 4 for a server that is not there, with what was meant', async () => {
    const { run } = await place();
    const { code, stderr } = await run(['score', 'librari']);
    expect(code).toBe(4);
    expect(stderr).toContain('Did you mean library?');
  });
});

describe('quire mcp exposure', () => {
  it('hides what no agent gets, with the first reason for each', async () => {
    const { json, plane } = await place(
      [library({ expose: true }), library({ name: 'other', deny_tools: ['delete_book'] })],
      { mcp_policy: [{ effect: 'deny', servers: ['library'], capabilities: ['delete*'] }] },
    );
    const opened = await plane();
    for (const server of opened.config.servers) await opened.discover(server);
    const agent = await json<ExposureList>(['exposure', '--all']);
    const reasons = agent.data.capabilities.map((one) => `${one.server} ${one.capability}: ${one.reason}`);
    expect(reasons).toEqual(
      expect.arrayContaining([
        'library library__search_books: ok',
        'library library__delete_book: policy:mcp_policy[0]',
        'library doc://guide: ok',
        'other doc://guide: not_exposed',
        'other other__search_books: not_exposed',
        'other other__delete_book: policy:tools',
      ]),
    );
    expect(agent.data).toMatchObject({ profile: 'agent', visible: 4 });
    const local = await json<ExposureList>(['exposure', '--profile', 'local', '--server', 'other']);
    expect(local.data.capabilities.map((one) => one.capability)).toEqual([
      'doc://guide',
      'doc://picture',
      'doc://trap',
      'other__search_books',
    ]);
  });

  it('says which server was never asked, and shows no table of nothing', async () => {
    const { run } = await place();
    const { code, stdout, stderr } = await run(['exposure']);
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'profile: agent, visible: 0, hidden: 0\n' });
    expect(stderr).toContain('Run: quire mcp discover library');
  });

  it('keeps to the score and the budget', async () => {
    const { json, configure, plane } = await place([library({ expose: true })], {
      mcp_exposure: { min_score: 100 },
    });
    const opened = await plane();
    await opened.discover(opened.server('library'));
    const reasonsNow = async () =>
      (await json<ExposureList>(['exposure', '--all'])).data.capabilities
        .filter((one) => one.kind === 'tool')
        .map((one) => one.reason);
    expect((await reasonsNow())[1]).toMatch(/^score \d+<100$/);
    await configure([library({ expose: true })], { mcp_exposure: { max_tools: 1, min_score: 0 } });
    expect(await reasonsNow()).toEqual(['budget', 'ok']);
  });

  test.each([
    [['exposure', '--profile', 'all'], 2],
    [['exposure', '--server', 'no'], 4],
  ])('%j ends with %i', async (words, exit) => {
    const { run } = await place();
    expect((await run(words)).code).toBe(exit);
  });
});
