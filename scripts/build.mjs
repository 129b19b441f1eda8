// node scripts/build.mjs [--package]
// Bundles each program into one file, so that a client's spawn reads one file and nothing else.
// --package leaves out the programs for working on the project, which read files that an image does not have.
import { chmod, lstat, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, join, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));

/** The path of a file inside the project, with slashes on every system. */
const inProject = (file) => relative(root, file).replaceAll(sep, '/');

const shared = {
  absWorkingDir: root,
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node20.19',
  legalComments: 'none',
  loader: { '.sql': 'text' },
  logLevel: 'warning',
  // Names the files that were made, for those that are left over.
  metafile: true,
  // The SDK's JSON Schema validator is 150 KB that only elicitation would use.
  alias: { '@modelcontextprotocol/server/_shims': './src/mcp/sdk-shims.ts' },
};

/** `src/version.ts` reads two fields of package.json; the others would stand in every program. */
const manifest = {
  name: 'manifest',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]package\.json$/ }, async ({ path }) => {
      if (inProject(path) !== 'package.json') return undefined;
      const { version, engines } = JSON.parse(await readFile(path, 'utf8'));
      return { contents: JSON.stringify({ version, engines }), loader: 'json' };
    });
  },
};

/** CommonJS starts faster than ESM: no asynchronous loader, no facades for Node's own modules. */
const program = {
  ...shared,
  outdir: 'dist',
  outExtension: { '.js': '.cjs' },
  format: 'cjs',
  // Code from V8's code cache can only require, not import.
  supported: { 'dynamic-import': false },
  plugins: [manifest],
};

/** The HTTP server, the plane, the brain and the further tool sets are files of their own, which a start over stdio neither reads nor compiles. */
const apart = {
  name: 'apart',
  setup({ onResolve }) {
    const files = new Map([
      ['src/cli/serve-http.ts', './quire-server.cjs'],
      ['src/cli/mcp/program.ts', './quire-plane.cjs'],
      ['src/cli/setup.ts', './quire-setup.cjs'],
      ['src/app/plane.ts', './quire-upstream.cjs'],
      ['src/app/brain.ts', './quire-brain.cjs'],
      ['src/app/note-sets.ts', './quire-sets.cjs'],
      ['src/state/postgres/database.ts', './quire-postgres.cjs'],
      ['src/oauth/oidc/provider.ts', './quire-oidc.cjs'],
      ['src/oauth/factors/library.ts', './quire-factors.cjs'],
    ]);
    onResolve({ filter: /\.ts$/ }, ({ kind, path, resolveDir }) => {
      const file = kind === 'dynamic-import' ? files.get(inProject(resolve(resolveDir, path))) : undefined;
      return file === undefined ? undefined : { path: file, external: true };
    });
  },
};

/** For programs that read the settings of stores and open none: the code that a kind of store loads on demand is left out. */
const withoutStores = {
  name: 'without-stores',
  setup({ onResolve }) {
    onResolve({ filter: /^\.\// }, ({ kind, importer }) =>
      kind === 'dynamic-import' && /^src\/stores\/[^/]+\/kind\.ts$/.test(inProject(importer))
        ? { external: true }
        : undefined,
    );
  },
};

/** The words of attacks, a quarter of a megabyte, are one file for the two programs that scan, read by the first scan. */
const words = {
  name: 'words',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /\/lexicon-wide\.ts$/ }, () => ({ path: 'lexicon-wide', namespace: 'words' }));
    onResolve({ filter: /^\.\/quire-words\.cjs$/ }, ({ path }) => ({ path, external: true }));
    onLoad({ filter: /./, namespace: 'words' }, () => ({
      contents: `Object.defineProperty(exports, 'WIDE', {
        enumerable: true,
        get: () => require('./quire-words.cjs').WIDE,
      });`,
    }));
  },
};

const minified = { minify: true, lineLimit: 200 };

/** esbuild escapes strings only, so regular expressions are escaped here. */
const ascii = {
  name: 'ascii',
  setup({ onEnd }) {
    const escaped = (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
    onEnd(async ({ outputFiles }) => {
      for (const { path, text } of outputFiles)
        await writeFile(path, text.replace(/[^\u0000-\u007f]/g, escaped));
    });
  },
};

/**
 * The programs of the launcher: functions, so that the launcher need not wrap them, and in ASCII, so that V8 stores them
 * with one byte a character.
 */
const launched = {
  ...program,
  ...minified,
  banner: { js: '(function (require, module, exports, __filename, __dirname) {' },
  footer: { js: '})' },
  write: false,
};

/** The CommonJS form of jsonc-parser loads its parts by names that cannot be bundled. */
const MODULES_FIRST = ['module', 'main'];

// The bundles that are written by a plugin come before those for which esbuild makes the folder.
await mkdir(join(root, 'dist'), { recursive: true });
const built = await Promise.all([
  build({
    ...launched,
    entryPoints: { 'quire-bundle': 'src/cli/cli.ts' },
    plugins: [manifest, apart, ascii],
  }),
  build({
    ...launched,
    entryPoints: { 'quire-server': 'src/cli/serve-http.ts' },
    plugins: [manifest, apart, ascii],
  }),
  build({
    ...launched,
    entryPoints: { 'quire-brain': 'src/app/brain.ts' },
    plugins: [manifest, apart, withoutStores, ascii],
  }),
  build({
    ...launched,
    entryPoints: { 'quire-sets': 'src/app/note-sets.ts' },
    plugins: [manifest, withoutStores, ascii],
    mainFields: MODULES_FIRST,
  }),
  build({
    ...launched,
    entryPoints: { 'quire-upstream': 'src/app/plane.ts' },
    plugins: [manifest, words, ascii],
  }),
  build({
    ...launched,
    entryPoints: { 'quire-postgres': 'src/state/postgres/database.ts' },
    plugins: [ascii],
    // A faster client in C, for those who install it.
    external: ['pg-native'],
  }),
  build({
    ...launched,
    entryPoints: { 'quire-factors': 'src/oauth/factors/library.ts' },
    plugins: [ascii],
  }),
  build({
    ...launched,
    entryPoints: { 'quire-oidc': 'src/oauth/oidc/provider.ts' },
    plugins: [ascii],
  }),
  build({
    ...launched,
    entryPoints: { 'quire-plane': 'src/cli/mcp/program.ts' },
    plugins: [manifest, words, withoutStores, ascii],
  }),
  build({
    ...launched,
    entryPoints: { 'quire-setup': 'src/cli/setup.ts' },
    plugins: [manifest, apart, withoutStores, ascii],
    mainFields: MODULES_FIRST,
  }),
  build({
    ...program,
    ...minified,
    entryPoints: { 'quire-words': 'src/governance/catalog/scan/lexicon-wide.ts' },
    charset: 'utf8',
  }),
  build({ ...program, ...minified, entryPoints: { 'quire-indexer': 'src/startup/workers/index.ts' } }),
  build({ ...program, ...minified, entryPoints: { 'quire-folder': 'src/startup/workers/folder.ts' } }),
  build({ ...program, ...minified, entryPoints: { 'quire-meaning': 'src/startup/workers/meaning.ts' } }),
  build({ ...program, ...minified, entryPoints: { 'quire-converter': 'src/startup/workers/convert.ts' } }),
  build({ ...program, ...minified, entryPoints: { 'quire-passwords': 'src/startup/workers/password.ts' } }),
  build({
    ...program,
    entryPoints: { quire: 'src/startup/launcher.ts' },
    banner: { js: '#!/usr/bin/env node' },
  }),
  ...(process.argv.includes('--package') ? [] : [buildTools()]),
]);
await chmod(`${root}dist/quire.cjs`, 0o755);
await removeStale(join(root, 'dist'), built);

/**
 * What an earlier build left would be packed with the package. Removed after the build and not before, because
 * programs of it may be running. A link is left alone: what else is where it leads is not ours.
 */
async function removeStale(folder, results) {
  if ((await lstat(folder)).isSymbolicLink()) return;
  const made = new Set(
    results.flatMap(({ metafile }) => Object.keys(metafile.outputs).map((file) => basename(file))),
  );
  const stale = (await readdir(folder)).filter((name) => !made.has(name));
  for (const name of stale) await rm(join(folder, name), { recursive: true, force: true });
}

function buildTools() {
  return build({
    ...shared,
    entryPoints: { tour: 'scripts/tour.ts', docs: 'scripts/docs.ts', bundle: 'scripts/bundle.ts' },
    outdir: 'dist',
    packages: 'external',
    alias: {},
  });
}
