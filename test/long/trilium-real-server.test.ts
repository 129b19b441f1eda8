/** `npm run test:trilium` against a server in another process, which it knows by its address and token alone. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { build } from 'esbuild';
import { expect, onTestFinished, test } from 'vitest';
import { CLEAN_ENVIRONMENT, temporaryFolder } from '../kit/temp.ts';
import { clientFor } from '../trilium/kit.ts';

async function startApart(): Promise<{ url: string; token: string }> {
  const outfile = join(await temporaryFolder({}), 'fake.mjs');
  await build({
    entryPoints: ['bench/trilium-fake.ts'],
    bundle: true,
    platform: 'node',
    format: 'esm',
    outfile,
  });
  const fake = spawn(process.execPath, [outfile], { stdio: ['pipe', 'pipe', 'inherit'] });
  onTestFinished(() => void fake.stdin.end());
  const [said] = (await once(fake.stdout, 'data')) as [Buffer];
  const [url = '', token = ''] = String(said).trim().split(' ');
  return { url, token };
}

async function run(...args: string[]): Promise<{ code: number; output: string }> {
  // The server cleans its temporary folder, which must not be the one of the tests around it.
  const env = { ...CLEAN_ENVIRONMENT, TMPDIR: await temporaryFolder({}) };
  const script = spawn(process.execPath, ['scripts/test-trilium.mjs', ...args], { env });
  let output = '';
  for (const stream of [script.stdout, script.stderr])
    stream.on('data', (chunk) => {
      output += chunk;
    });
  const [code] = (await once(script, 'close')) as [number];
  return { code, output };
}

test('the wire tests pass there, say what they skip, and leave nothing behind', async () => {
  const { url, token } = await startApart();
  const files = ['tool-list', 'active-content', 'races'].map((name) => `test/wire/trilium/${name}.test.ts`);
  const { code, output } = await run('--url', url, '--token', token, ...files);
  expect(output).toMatch(/an edit elsewhere leaves harmless HTML/);
  expect(output).toContain('needs the fake: it looks into the server');
  expect(output).toMatch(/is deleted again\.\n$/);
  expect(code, output).toBe(0);
  const root = await clientFor(url, { token }).notes.get('root');
  expect(root.childNoteIds).toEqual(['_hidden']);
});

test('without an address, without an answer and with a wrong token it says so and makes nothing', async () => {
  expect(await run()).toMatchObject({ code: 1, output: expect.stringContaining('Give --url and --token') });
  const { url } = await startApart();
  const refused = await run('--url', url, '--token', 'wrong');
  expect(refused).toMatchObject({ code: 1, output: expect.stringContaining('Trilium answered 401') });
  expect(refused.output).not.toContain('wrong');
  expect((await run('--url', 'http://127.0.0.1:1', '--token', 'x')).output).toMatch(/No Trilium answers/);
});
