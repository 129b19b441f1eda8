/** Finds and reads the configuration file of the governed plane. The first file found is used; files are not merged. */
import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { AppError } from '../shared/errors.ts';
import { isErrno } from '../shared/fs/errno.ts';
import { fromHome } from '../shared/fs/folder.ts';
import { isRecord } from '../shared/records.ts';

export interface PlaneFile {
  /** Absolute. */
  readonly path: string;
  /** Base of the relative paths in the file. */
  readonly folder: string;
  /** As it is: not parsed, not checked. */
  readonly text: string;
}

interface PlaneFilePlaces {
  /** The value of `--config`. */
  readonly named?: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly workingFolder: string;
}

const IN_WORKING_FOLDER = ['quire.yaml', 'sb.config.yaml', '.sb/config.yaml'];
const MAX_BYTES = 1_048_576;

/** Undefined when no file is named and none is found. */
export async function findPlaneFile(places: PlaneFilePlaces): Promise<PlaneFile | undefined> {
  const { named, environment, workingFolder } = places;
  const given = named ?? (environment.SB_CONFIG || environment.QUIRE_CONFIG);
  if (given !== undefined) {
    const file = await readPlaneFile(resolve(workingFolder, fromHome(given)));
    if (file) return file;
    throw new AppError('not_found', 'Cannot read the configuration file', {
      subject: given,
      hint:
        named === undefined
          ? 'Correct SB_CONFIG or QUIRE_CONFIG, which names it.'
          : 'Check the path after --config.',
    });
  }
  for (const path of usualPlaces(environment, workingFolder)) {
    const file = await readPlaneFile(path);
    if (file) return file;
  }
  return undefined;
}

function usualPlaces(environment: PlaneFilePlaces['environment'], workingFolder: string): string[] {
  const home = environment.XDG_CONFIG_HOME || join(environment.HOME || homedir(), '.config');
  return [...IN_WORKING_FOLDER.map((name) => join(workingFolder, name)), join(home, 'quire', 'quire.yaml')];
}

async function readPlaneFile(path: string): Promise<PlaneFile | undefined> {
  const bytes = await readFile(path).catch((cause: unknown) => {
    if (isErrno(cause, 'ENOENT', 'ENOTDIR')) return undefined;
    throw new AppError('invalid_input', 'Cannot read the configuration file', { subject: path, cause });
  });
  if (bytes === undefined) return undefined;
  if (bytes.length > MAX_BYTES)
    throw new AppError('invalid_input', 'The configuration file is too large', {
      subject: path,
      hint: `It has ${bytes.length} bytes; the limit is ${MAX_BYTES}.`,
    });
  return { path, folder: dirname(path), text: bytes.toString('utf8') };
}

export async function parseYaml(text: string, path: string): Promise<unknown> {
  const { parse } = await import('yaml');
  try {
    return parse(text, { maxAliasCount: 100 });
  } catch (cause) {
    throw new AppError('invalid_input', 'Configuration is not valid YAML', {
      subject: `${path}: ${firstLineOf(cause)}`,
      hint: hintFor(cause, text),
      cause,
    });
  }
}

/** Where a key stands twice, which one: the parser says only where. */
function hintFor(cause: unknown, text: string): string {
  if (isRecord(cause) && cause.code === 'DUPLICATE_KEY' && Array.isArray(cause.pos)) {
    const key = /^[\w.-]+/.exec(text.slice(Number(cause.pos[0])))?.[0];
    if (key !== undefined)
      return `The key ${key} stands twice. Keep one, and move what is below the other to it.`;
  }
  return 'Correct the file there. Often the indentation is wrong, or a quote or bracket is missing.';
}

/** The lines after it quote the file, which may hold secrets. */
function firstLineOf(cause: unknown): string {
  const [line = ''] = (cause instanceof Error ? cause.message : String(cause)).split('\n');
  return line.replace(/:$/, '');
}

export function notAMapping(path: string, content: unknown): AppError {
  if (content === null || content === undefined)
    return new AppError('invalid_input', 'The configuration file is empty', {
      subject: path,
      hint: 'Delete it and write a new one with: quire init',
    });
  return new AppError('invalid_input', 'Configuration is not a mapping of keys', {
    subject: path,
    hint: 'It has keys such as notebooks: at its top. Write a new one with: quire init',
  });
}

/** `${env:NAME}`; in the plane's sections it is kept as written until the value is needed. */
export const REFERENCE = /\$\{env:([A-Za-z_][A-Za-z0-9_]*)\}/g;

export type Environment = Readonly<Record<string, string | undefined>>;

/** Names of the referenced variables. */
export function referencesIn(text: string): string[] {
  return [...text.matchAll(REFERENCE)].map((match) => match[1] ?? '');
}

/** Whether a text contains a reference, even a malformed one. */
export function hasReference(text: string): boolean {
  return text.includes(`\${env:`);
}

export function hasBrokenReference(text: string): boolean {
  return hasReference(text.replace(REFERENCE, ''));
}

interface ResolvedReferences {
  readonly values: Readonly<Record<string, string>>;
  /**
   * Referenced variables that are not set. If there are any, `values` must not be used: an empty text is not a
   * secret.
   */
  readonly missing: readonly string[];
}

export function resolveReferences(
  texts: Readonly<Record<string, string>>,
  environment: Environment,
): ResolvedReferences {
  const names = Object.values(texts).flatMap(referencesIn);
  const missing = [...new Set(names.filter((name) => !environment[name]))];
  const filled = (text: string) => text.replace(REFERENCE, (_, name: string) => environment[name] ?? '');
  const values = Object.entries(texts).map(([key, text]) => [key, filled(text)] as const);
  return { values: Object.fromEntries(missing.length > 0 ? [] : values), missing };
}
