/** A program of the tests as one file that Node can run. */
import { join } from 'node:path';
import { build } from 'esbuild';
import { temporaryFolder } from '../kit/temp.ts';
import { PROJECT, testServer } from './sandbox-kit.ts';

export async function bundled(name: string): Promise<string> {
  const outfile = join(await temporaryFolder(), 'program.mjs');
  const manifest = JSON.stringify(join(PROJECT, 'package.json'));
  const js = `import { createRequire } from 'node:module'; const require = createRequire(${manifest});`;
  await build({
    entryPoints: [testServer(name)],
    outfile,
    bundle: true,
    minify: true,
    platform: 'node',
    format: 'esm',
    banner: { js },
  });
  return outfile;
}
