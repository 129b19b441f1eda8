/** Long texts are converted in threads: the same answers, a loop that goes on, and an end to every job. */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createConvertThreads } from '../../src/app/services.ts';
import { createJobThreads, type JobThreadsOptions, NoThreadError } from '../../src/shared/job-threads.ts';
import { createConversion, LONGEST_CONVERTED } from '../../src/stores/trilium/conversion.ts';

const BUILT = fileURLToPath(new URL('../../dist/quire-converter.cjs', import.meta.url));
/** Longer than what is converted without a thread where none can be started. */
const LONG = '<p>Lorem <strong>ipsum</strong> dolor.</p>'.repeat(14_000);

/** Threads with a program that sleeps, fails, dies or fills its memory as the job says. */
function threadsOf(options: Partial<JobThreadsOptions> = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'quire-jobs-'));
  const file = join(folder, 'jobs.cjs');
  writeFileSync(
    file,
    `const { parentPort } = require('node:worker_threads');
     const jobs = {
       echo: (value) => value,
       spin: () => { for (;;) {} },
       die: () => process.exit(3),
       fill: () => { const all = []; for (;;) all.push(new Array(1e6).fill(all.length)); },
     };
     parentPort.on('message', ({ name, args }) => parentPort.postMessage({ value: jobs[name](...args) }));
     parentPort.postMessage({ state: 'ready' });`,
  );
  const threads = createJobThreads({
    file,
    threads: 1,
    timeoutMs: 60_000,
    maxWaiting: 2,
    idleMs: 60_000,
    memory: { oldMb: 32, youngMb: 4 },
    ...options,
  });
  onTestFinished(async () => {
    await threads.close();
    rmSync(folder, { recursive: true, force: true });
  });
  return threads;
}

describe('a thread for long texts', () => {
  it('gives the same answer as none, and the loop goes on meanwhile', async () => {
    const there = createConversion({ threads: createConvertThreads(BUILT) });
    let turns = 0;
    let isDone = false;
    const count = () => {
      turns++;
      if (!isDone) setImmediate(count);
    };
    setImmediate(count);
    const markdown = await there.toMarkdown(LONG);
    isDone = true;
    expect(turns).toBeGreaterThan(10);
    expect(markdown).toBe(await createConversion({}).toMarkdown(LONG));
  });

  it('cleans files, and gives back the very bytes that need no cleaning', async () => {
    const { cleanFile } = createConversion({ threads: createConvertThreads(BUILT) });
    const page = Buffer.from(LONG);
    expect(await cleanFile('text/html', page)).toBe(page);
    const active = Buffer.from(`${LONG}<script>x()</script>`);
    expect(Buffer.from(await cleanFile('text/html', active)).toString()).toBe(LONG);
  });

  it('refuses what is longer than its bound', async () => {
    const { toMarkdown } = createConversion({ threads: createConvertThreads(BUILT) });
    await expect(toMarkdown('a'.repeat(LONGEST_CONVERTED + 1))).rejects.toMatchObject({
      reason: 'too_large',
    });
  });

  it('that cannot be started is done without, up to a length', async () => {
    const warnings: string[] = [];
    const { toMarkdown } = createConversion({
      threads: createConvertThreads(join(tmpdir(), 'quire-no-such-program.cjs')),
      log: (_, message) => warnings.push(message),
    });
    expect(await toMarkdown(LONG.slice(0, 39 * 2_000))).toContain('**ipsum**');
    await expect(toMarkdown(LONG)).rejects.toMatchObject({ code: 'internal' });
    expect(warnings).toHaveLength(1);
  });
});

describe('a short text', () => {
  /** Its program writes down which jobs it was given. */
  function recordingProgram() {
    const folder = mkdtempSync(join(tmpdir(), 'quire-warm-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const file = join(folder, 'jobs.cjs');
    const jobs = join(folder, 'jobs.txt');
    writeFileSync(
      file,
      `const { parentPort } = require('node:worker_threads');
       const { appendFileSync } = require('node:fs');
       parentPort.on('message', ({ name }) => {
         appendFileSync(${JSON.stringify(jobs)}, name + '\\n');
         parentPort.postMessage({ value: '' });
       });
       parentPort.postMessage({ state: 'ready' });`,
    );
    return { file, recorded: () => (existsSync(jobs) ? readFileSync(jobs, 'utf8') : '') };
  }

  it('has a thread ready for long ones, once', async () => {
    const { file, recorded } = recordingProgram();
    const { toMarkdown } = createConversion({ threads: createConvertThreads(file), warmUpAfterMs: 0 });
    expect(recorded()).toBe('');
    await toMarkdown('<p>a</p>');
    await vi.waitFor(() => expect(recorded()).toBe('warmUp\n'), { timeout: 20_000 });
    await toMarkdown('<p>b</p>');
    await toMarkdown(LONG);
    expect(recorded()).toBe('warmUp\ntoMarkdown\n');
  });

  it('is converted all the same where no thread can be started, and nothing is logged', async () => {
    const warnings: string[] = [];
    const { toMarkdown } = createConversion({
      threads: createConvertThreads(join(tmpdir(), 'quire-no-such-program.cjs')),
      log: (_, message) => warnings.push(message),
      warmUpAfterMs: 0,
    });
    for (let times = 0; times < 3; times++) {
      expect(await toMarkdown('<p>a</p>')).toBe('a');
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    expect(warnings).toEqual([]);
  });
});

describe('a job', () => {
  it('that takes too long fails alone, and the next works', async () => {
    const threads = threadsOf({ timeoutMs: 1_500 });
    await expect(threads.run('spin', [])).rejects.toMatchObject({ code: 'timeout' });
    expect(await threads.run('echo', ['a'])).toBe('a');
  });

  it.each(['die', 'fill'])(
    'that ends its thread (%s) fails alone, and the waiting one works',
    async (name) => {
      const threads = threadsOf();
      const [bad, good] = await Promise.allSettled([threads.run(name, []), threads.run('echo', ['a'])]);
      expect(bad).toMatchObject({ status: 'rejected', reason: { code: 'internal' } });
      expect(good).toEqual({ status: 'fulfilled', value: 'a' });
    },
  );

  it('does not wait for another where there is a second thread', async () => {
    const threads = threadsOf({ threads: 2 });
    void threads.run('spin', []).catch(() => {});
    expect(await threads.run('echo', ['a'])).toBe('a');
  });

  it('is refused where too many wait, and fails when all is closed', async () => {
    const threads = threadsOf({ maxWaiting: 1 });
    const running = threads.run('spin', []).catch((error: unknown) => error);
    const waiting = threads.run('echo', ['a']).catch((error: unknown) => error);
    await expect(threads.run('echo', ['b'])).rejects.toMatchObject({ code: 'rate_limited' });
    await threads.close();
    expect(await waiting).toBeInstanceOf(NoThreadError);
    expect(await running).toBeInstanceOf(Error);
  });
});
