/** The first stage of deploy/Dockerfile, without Docker: the files it copies are enough to build. */
import { execFile } from 'node:child_process';
import { cp, readdir, readFile, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { putFile, temporaryFolder } from '../kit/temp.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

test('the image is built from the files it copies, and nothing of an earlier build stays', async () => {
  const folder = await temporaryFolder();
  await putFile(folder, 'dist/quire-earlier.cjs', 'stale');
  await putFile(folder, 'dist/bundle/manifest.json', '{}');
  const dockerfile = await readFile(join(ROOT, 'deploy/Dockerfile'), 'utf8');
  const sources = [...dockerfile.matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, names = '']) =>
    names.split(' '),
  );
  for (const name of sources) await cp(join(ROOT, name), join(folder, name), { recursive: true });
  await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  expect(dockerfile).toMatch(/^RUN npm run build -- --package$/m);
  await promisify(execFile)(process.execPath, ['scripts/build.mjs', '--package'], { cwd: folder });
  const { files } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as { files: string[] };
  const built = (await readdir(join(folder, 'dist'))).map((name) => `dist/${name}`);
  expect(built.sort()).toEqual(files.filter((name) => name.endsWith('.cjs')).sort());
});
