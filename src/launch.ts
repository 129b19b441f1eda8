/**
 * What a client spawns. Runs the bundle beside it through V8's code cache, which saves compiling it at every
 * start. The cache is made on this machine, by this Node, after the first run, in the user's cache folder; it
 * is only ever a saving: without it, or with one V8 does not accept, the bundle runs just the same.
 */
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { Script } from 'node:vm';

const BUNDLE = join(__dirname, 'quire-bundle.cjs');
/** Long enough to be out of the way of the first calls. */
const SAVE_AFTER_MS = 3_000;

const cacheFile = process.env.NODE_DISABLE_COMPILE_CACHE ? undefined : cacheFileFor(BUNDLE);
const cachedData = cacheFile && readIfThere(cacheFile);
const script = new Script(
  `(function (require, module, exports, __filename, __dirname) {${readFileSync(BUNDLE, 'utf8')}\n})`,
  {
    filename: BUNDLE,
    ...(cachedData && { cachedData }),
  },
);
if (cacheFile && (!cachedData || script.cachedDataRejected)) saveLater(cacheFile);

const module_ = { exports: {} };
script.runInThisContext()(createRequire(BUNDLE), module_, module_.exports, BUNDLE, __dirname);

/** One for each build and each Node. */
function cacheFileFor(bundle: string): string | undefined {
  try {
    const { size, mtimeMs } = statSync(bundle);
    const folder = process.env.XDG_CACHE_HOME || join(homedir(), '.cache');
    return join(
      folder,
      'quire',
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

/** Once the start is over, so that the functions a start needs are compiled and go along. */
function saveLater(file: string): void {
  let saved = false;
  const save = () => {
    if (saved) return;
    saved = true;
    try {
      mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
      const temporary = `${file}.${process.pid}`;
      writeFileSync(temporary, script.createCachedData(), { mode: 0o600 });
      renameSync(temporary, file);
      dropOldCaches(dirname(file));
    } catch {
      // A cache that cannot be written is no reason to trouble anyone.
    }
  };
  process.once('exit', save);
  setTimeout(save, SAVE_AFTER_MS).unref();
}

/** Those of builds and Nodes nobody has started for a month. */
function dropOldCaches(folder: string): void {
  const oldest = Date.now() - 30 * 24 * 3600 * 1000;
  for (const name of readdirSync(folder)) {
    const file = join(folder, name);
    if (name.startsWith('start-') && statSync(file).atimeMs < oldest) unlinkSync(file);
  }
}
