// Bundles each program into one file, so that a client's spawn reads one file and nothing else.
import { chmod } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));

const shared = {
  absWorkingDir: root,
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node20.19',
  legalComments: 'none',
  logLevel: 'warning',
  // The SDK's JSON Schema validator is 150 KB that only elicitation would use.
  alias: { '@modelcontextprotocol/server/_shims': './src/mcp/sdk-shims.ts' },
};

/** CommonJS starts faster than ESM: no asynchronous loader, no facades for Node's own modules. */
const program = { ...shared, outdir: 'dist', outExtension: { '.js': '.cjs' }, format: 'cjs' };

await Promise.all([
  build({ ...program, entryPoints: { 'quire-bundle': 'src/cli.ts' }, minify: true, lineLimit: 200 }),
  build({ ...program, entryPoints: { quire: 'src/launch.ts' }, banner: { js: '#!/usr/bin/env node' } }),
  build({
    ...shared,
    entryPoints: { tour: 'scripts/tour.ts', docs: 'scripts/docs.ts' },
    outdir: 'dist',
    packages: 'external',
    alias: {},
  }),
]);
await chmod(`${root}dist/quire.cjs`, 0o755);
