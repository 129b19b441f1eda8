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

// Some parts are CommonJS and ask for Node's own modules by `require`.
const banner =
  "#!/usr/bin/env node\nimport { createRequire } from 'node:module';\nconst require = createRequire(import.meta.url);";

await Promise.all([
  build({
    ...shared,
    entryPoints: { quire: 'src/cli.ts' },
    outdir: 'dist',
    minify: true,
    lineLimit: 200,
    banner: { js: banner },
  }),
  build({
    ...shared,
    entryPoints: { tour: 'scripts/tour.ts', docs: 'scripts/docs.ts' },
    outdir: 'dist',
    packages: 'external',
    alias: {},
  }),
]);
await chmod(`${root}dist/quire.js`, 0o755);
