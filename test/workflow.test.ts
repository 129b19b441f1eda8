/** The workflow of public CI: the systems and versions we promise, commands that exist, and no more rights than reading. */
import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';

interface Job {
  readonly strategy?: { readonly matrix: { readonly os: string[]; readonly node: number[] } };
  readonly 'timeout-minutes': number;
  readonly permissions?: object;
  readonly steps: readonly {
    readonly uses?: string;
    readonly run?: string;
    readonly if?: string;
    readonly with?: Record<string, unknown>;
  }[];
}

const read = (path: string) => readFile(new URL(`../${path}`, import.meta.url), 'utf8');
const workflow = async () =>
  parse(await read('.github/workflows/ci.yml')) as {
    permissions: object;
    concurrency: Record<string, unknown>;
    jobs: Record<'test' | 'long', Job>;
  };
const commandsOf = ({ steps }: Job) => steps.flatMap(({ run }) => (run === undefined ? [] : [run]));

describe('public CI', () => {
  it('runs on Linux, macOS and Windows with Node 20, 22 and 24', async () => {
    const { matrix } = (await workflow()).jobs.test.strategy!;
    expect(matrix).toEqual({
      os: ['ubuntu-latest', 'macos-latest', 'windows-latest'],
      node: [20, 22, 24],
    });
  });

  it('installs, builds, checks and tests, everything on Linux', async () => {
    const { test, long } = (await workflow()).jobs;
    expect(commandsOf(test).slice(0, 4)).toEqual([
      'npm ci',
      'npm run build',
      'npm run lint',
      'npm run typecheck',
    ]);
    expect(test.steps.find(({ run }) => run === 'npm test')?.if).toBe("runner.os == 'Linux'");
    expect(test.steps.find(({ run }) => run === 'npm run test:portable')?.if).toBe("runner.os != 'Linux'");
    expect(commandsOf(long)).toContain('npm run test:long');
  });

  it('runs commands that exist', async () => {
    const { jobs } = await workflow();
    const { scripts } = JSON.parse(await read('package.json')) as { scripts: Record<string, string> };
    const named = Object.values(jobs)
      .flatMap(commandsOf)
      .flatMap((command) => /^npm (?:run )?(?!ci$)(\S+)$/.exec(command)?.[1] ?? []);
    expect(named.length).toBeGreaterThan(5);
    expect(named.filter((name) => scripts[name] === undefined)).toEqual([]);
  });

  it('may read and nothing else, in pinned actions, and is cancelled by the next push', async () => {
    const { permissions, concurrency, jobs } = await workflow();
    expect(permissions).toEqual({ contents: 'read' });
    expect(concurrency).toMatchObject({ 'cancel-in-progress': true });
    for (const job of Object.values(jobs)) {
      expect(job.permissions).toBeUndefined();
      expect(job['timeout-minutes']).toBeGreaterThan(0);
      for (const { uses, with: settings } of job.steps.filter((step) => step.uses !== undefined)) {
        expect(uses).toMatch(/^actions\/[a-z-]+@(?:v\d+|[0-9a-f]{40})$/);
        if (uses?.startsWith('actions/checkout@'))
          expect(settings).toMatchObject({ 'persist-credentials': false });
      }
    }
  });
});
