// Sources of this project as a module a benchmark can import.
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** Put beside what it needs: packages are found from dist/. */
export async function bundled(source) {
  const outfile = join(ROOT, 'dist', `bench-${source.replace(/\W+/g, '-')}.mjs`);
  await build({
    entryPoints: [join(ROOT, source)],
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    packages: 'external',
    loader: { '.sql': 'text' },
    outfile,
    logLevel: 'warning',
  });
  return import(pathToFileURL(outfile).href);
}
