/**
 * The program that clients spawn. Runs the bundles beside it through V8's code cache, which saves compiling them at
 * every start. The cache is made on this machine, by this Node, after the first run, in the
 * user's cache folder; without it, or with one that V8 rejects, a bundle runs just the same.
 */
import { readdirSync, readFileSync, statSync, unlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { Script } from 'node:vm';
import { cacheFolderOf } from '../shared/fs/errno.ts';
import { replaceFileSync } from '../shared/fs/replace-file.ts';
import { LISTING_AHEAD, startListing } from './listing-ahead.ts';
import { PREFETCH, startPrefetch } from './prefetch.ts';
import { predictStart } from './start-history.ts';

const BUNDLE = join(__dirname, 'quire-bundle.cjs');
/** The bundles that others require, by the names they use. */
const PARTS: ReadonlySet<string> = new Set([
  './quire-brain.cjs',
  './quire-factors.cjs',
  './quire-oidc.cjs',
  './quire-plane.cjs',
  './quire-postgres.cjs',
  './quire-server.cjs',
  './quire-sets.cjs',
  './quire-setup.cjs',
  './quire-upstream.cjs',
]);
/** Late enough not to delay the first calls. */
const SAVE_AFTER_MS = 3_000;
/** Keeps V8 from dropping the bytecode of functions that have not run for a while, as those of the start-up have not. */
const KEEP_COMPILED = '--no-flush-bytecode';
const FORGET_COMPILED = '--flush-bytecode';

// Started first, to run while the rest is being loaded.
const isPlain = process.env.QUIRE_STARTUP === 'plain';
if (!isPlain) workAhead();

const requireOther = createRequire(BUNDLE);
const parts = new Map<string, unknown>();
if (process.argv[2] === 'mcp') runMcp();
else run(BUNDLE);

function runMcp(): void {
  const plane = requirePart('./quire-plane.cjs') as {
    runMcpAlone(argv: readonly string[], env: NodeJS.ProcessEnv): void;
  };
  plane.runMcpAlone(process.argv, process.env);
}

function requirePart(id: string): unknown {
  if (!PARTS.has(id)) return requireOther(id);
  if (!parts.has(id)) parts.set(id, run(join(__dirname, id)));
  return parts.get(id);
}

/** Returns the exports of a bundle, which the build makes one function, in ASCII. */
function run(bundle: string): unknown {
  const cacheFile = isPlain || process.env.NODE_DISABLE_COMPILE_CACHE ? undefined : cacheFileFor(bundle);
  const cachedData = cacheFile ? readIfThere(cacheFile) : undefined;
  const script = new Script(readFileSync(bundle, 'latin1'), { filename: bundle, cachedData });
  if (cacheFile && (!cachedData || script.cachedDataRejected)) saveLater(cacheFile, script);
  const module_ = { exports: {} };
  script.runInThisContext()(requirePart, module_, module_.exports, bundle, __dirname);
  return module_.exports;
}

/** On an index that this start most likely needs, or on a folder that has none yet. */
function workAhead(): void {
  const start = predictStart(process);
  const ahead = start
    ? { [PREFETCH]: startPrefetch(join(__dirname, 'quire-folder.cjs'), start) }
    : { [LISTING_AHEAD]: startListing(join(__dirname, 'quire-indexer.cjs'), process.argv) };
  Object.assign(globalThis, ahead);
}

/** One per build and version of Node. */
function cacheFileFor(bundle: string): string | undefined {
  try {
    const { size, mtimeMs } = statSync(bundle);
    return join(
      cacheFolderOf(process.env),
      `start-${process.version}-${process.arch}-${size}-${Math.trunc(mtimeMs)}.bin`,
    );
  } catch {
    return undefined;
  }
}

function readIfThere(file: string): Buffer | undefined {
  try {
    return readFileSync(file);
  } catch {
    return undefined;
  }
}

/** After the start-up, and again at exit, when more functions have been compiled. */
function saveLater(file: string, script: Script): void {
  const save = () => {
    try {
      replaceFileSync(file, compiled(script));
      dropOldCaches(dirname(file));
    } catch {
      // The next start is slower, and nothing else is lost.
    }
  };
  setFlagsFromString(KEEP_COMPILED);
  process.once('exit', save);
  setTimeout(save, SAVE_AFTER_MS).unref();
}

/** V8 accepts a cache only under the flags it was made with. */
function compiled(script: Script): Buffer {
  setFlagsFromString(FORGET_COMPILED);
  try {
    return script.createCachedData();
  } finally {
    setFlagsFromString(KEEP_COMPILED);
  }
}

/** Deletes the caches that were not used for a month. */
function dropOldCaches(folder: string): void {
  const oldest = Date.now() - 30 * 24 * 3600 * 1000;
  for (const name of readdirSync(folder)) {
    const file = join(folder, name);
    if (name.startsWith('start-') && statSync(file).atimeMs < oldest) unlinkSync(file);
  }
}
