/**
 * The files that a launch runs and that a reviewer has looked at: the executable, and the script behind an interpreter.
 * What they load in turn (modules, packages that are fetched) is not among them.
 */
import { realpath, stat } from 'node:fs/promises';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import type { UpstreamServer } from '../../config/control-plane.ts';
import { type Rejection, rejectIf } from '../../upstream/definition.ts';
import { isInterpreter, isRunner } from './inline-code.ts';
import { type FoundCommand, othersMayWrite, type Script } from './launch.ts';

type LaunchSettings = Pick<UpstreamServer, 'args' | 'sandboxCwd'>;

const CODE =
  /\.(?:[cm]?jsx?|[cm]?tsx?|pyw?|pyz|pyc|rb|pl|pm|php|lua|r|jl|exs?|groovy|kts|scala|raku|rkt|scm|clj|jar|war|class|dll|exe|so|dylib|node|wasm|whl|tgz|mcpb|sh|bash|ps1|bat|cmd)$/i;

/** How interpreters complete the name of what they run: `node app` is `app.js` or `app/index.js`. */
const COMPLETIONS = ['', '.js', '.py', '/index.js', '/__main__.py', '/__init__.py', '/package.json'];
const MAX_SCRIPTS = 50;

/** The scripts that the arguments name, in their order. */
export async function findScripts(server: LaunchSettings, found: FoundCommand): Promise<readonly Script[]> {
  const words = Array.isArray(server.args) ? server.args.filter((arg) => typeof arg === 'string') : [];
  const bases = await basesOf(words, server.sandboxCwd);
  const isInterpreted = [found.path, found.realPath].some(isInterpreter);
  const scripts = new Map<string, Script>();
  let hasMain = false;
  for (const [at, word] of words.entries()) {
    const name = pathIn(word, words[at - 1]);
    // What comes after the program are its own arguments, which may be files of data.
    const isMain = isInterpreted && !hasMain;
    if (name === '' || (!isMain && !CODE.test(name)) || scripts.size >= MAX_SCRIPTS) continue;
    const files = await filesAt(name, bases, isMain ? COMPLETIONS : ['']);
    for (const script of files) scripts.set(script.realPath, script);
    hasMain ||= files.length > 0 && !word.startsWith('-');
  }
  return [...scripts.values()];
}

/** A word, the value of `--flag=value`, or a module behind `-m` as a path. */
function pathIn(word: string, before: string | undefined): string {
  if (before === '-m') return word.replaceAll('.', '/');
  if (!word.startsWith('-')) return word.replace(/^file:\/\//, '');
  return word.includes('=') ? word.slice(word.indexOf('=') + 1) : '';
}

/** Relative words are seen from the working folder, or from a folder that is named (`uv --directory /srv/app run x.py`). */
async function basesOf(words: readonly string[], cwd: string | undefined): Promise<string[]> {
  const named = words.map((word) => pathIn(word, undefined)).filter(isAbsolute);
  const areFolders = await Promise.all(
    named.map((path) => factsAt(path).then((facts) => facts?.isDirectory())),
  );
  return [...(cwd === undefined ? [] : [cwd]), ...named.filter((_, at) => areFolders[at])];
}

async function filesAt(
  name: string,
  bases: readonly string[],
  completions: readonly string[],
): Promise<Script[]> {
  if (name.includes('\0') || name.length > 4_096) return [];
  const places = isAbsolute(name) ? [name] : bases.map((base) => resolve(base, name));
  const paths = places.flatMap((place) =>
    completions.map((ending) => (ending.startsWith('/') ? join(place, ending) : place + ending)),
  );
  const found = await Promise.all(paths.map(fileAt));
  return found.flatMap((one) => one ?? []);
}

async function fileAt(path: string): Promise<Script | undefined> {
  if (!(await factsAt(path))?.isFile()) return undefined;
  return { path, realPath: await realpath(path) };
}

function factsAt(path: string) {
  return stat(path).catch(() => undefined);
}

/** Rejects a script that another user could replace, as the executable is. */
export async function judgeScripts(scripts: readonly Script[]): Promise<Rejection[]> {
  for (const { path, realPath } of scripts) {
    const places = [...new Set([realPath, dirname(realPath), dirname(path)])];
    const isOpen = await Promise.all(places.map(othersMayWrite));
    if (isOpen.includes(true))
      return rejectIf(
        true,
        'command_world_writable',
        `Everybody on this machine may change ${nameOf(path)}, which it runs, or its folder. Take the right away (chmod o-w).`,
      );
  }
  return [];
}

export function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1).slice(0, 80);
}

const SYSTEM = /^\/(?:usr|bin|sbin|lib|lib64)\//;

/**
 * What a signature covers by content. A program of the system is left to the system: its updates need no new review. In
 * /usr/local that holds for interpreters and runners only, because servers are installed there too.
 */
export function coveredFiles(found: FoundCommand, scripts: readonly Script[]): readonly string[] {
  const { realPath } = found;
  const isLocal = realPath.startsWith('/usr/local/');
  const isSystem = SYSTEM.test(realPath) && (!isLocal || isInterpreter(realPath) || isRunner(realPath));
  return [...new Set([...(isSystem ? [] : [realPath]), ...scripts.map((script) => script.realPath)])];
}
