/**
 * Files of the servers that commands replace: `trilium-mcp.json`, and keys of `sb.config.yaml` that have another name here.
 * A file that cannot be read is an error, not an empty one.
 */
import { readFile } from 'node:fs/promises';
import { AppError } from '../shared/errors.ts';
import { isErrno } from '../shared/fs/errno.ts';
import { isRecord } from '../shared/records.ts';
import type { CommandSpec } from './commands/command.ts';
import { hasReference } from './plane-file.ts';

/** Settings by name from the first file that exists; empty when none does. */
export async function readCommandFile(
  { file }: CommandSpec,
  places: readonly string[],
): Promise<Readonly<Record<string, unknown>>> {
  if (!file) return {};
  for (const place of places) {
    const text = await readFile(place, 'utf8').catch((error: unknown) => absent(error, place));
    if (text === undefined) continue;
    const content = parsed(text, place);
    const known = Object.entries(file.keys).map(([key, setting]) => [setting, content[key] ?? undefined]);
    const strange = Object.keys(content).find((key) => !(key in file.keys));
    if (strange !== undefined)
      throw new AppError('invalid_input', `${file.name} has a key that is not known`, {
        subject: strange,
        hint: `Known keys: ${Object.keys(file.keys).join(', ')}.`,
      });
    return Object.fromEntries(known);
  }
  return {};
}

function absent(cause: unknown, place: string): undefined {
  if (isErrno(cause, 'ENOENT', 'ENOTDIR')) return undefined;
  throw new AppError('invalid_input', 'A configuration file cannot be read', {
    subject: place,
    hint: 'Let the user that runs Quire read it, or remove it if it is not used.',
    cause,
  });
}

function parsed(text: string, place: string): Section {
  try {
    const content: unknown = JSON.parse(text);
    if (isRecord(content)) return content;
  } catch {
    // The error below does not quote the file, which may hold a token.
  }
  throw new AppError('invalid_input', 'A configuration file is not a JSON object', {
    subject: place,
    hint: 'Correct it, or remove it if it is not used.',
  });
}

type Section = Readonly<Record<string, unknown>>;

const MIN_TOKEN = 16;

/** Translates the keys of `sb.config.yaml`, so that its users keep their file. */
export function withOriginalKeys(config: Section): Section {
  const { version, vault, ...rest } = config;
  if (version !== undefined && version !== 1) throw problem('version', 'must be 1');
  return withServeKeys(withVault(rest, vault));
}

/** `vault` becomes the only notebook. */
function withVault(config: Section, vault: unknown): Section {
  if (vault === undefined) return config;
  if (typeof vault !== 'string' || vault === '') throw problem('vault', 'must be a folder');
  const { notebooks = {} } = config;
  if (isRecord(notebooks) && Object.keys(notebooks).length > 0)
    throw problem('vault', 'cannot be used together with notebooks; keep one of them');
  return { ...config, notebooks: { vault: { folder: vault } } };
}

function withServeKeys(config: Section): Section {
  if (!isRecord(config.serve)) return config;
  const { token, allowed_origins: origins, ...serve } = config.serve;
  if (origins !== undefined && serve.allowedOrigins !== undefined)
    throw problem('serve.allowed_origins', 'cannot be used together with allowedOrigins; keep one of them');
  return {
    ...config,
    serve: { ...serve, ...(origins !== undefined && { allowedOrigins: origins }) },
    ...(token !== undefined && { auth: withToken(config.auth, token) }),
  };
}

function withToken(auth: unknown, token: unknown): Section {
  const before = isRecord(auth) ? auth : {};
  const { mode = 'bearer', tokens = [] } = before;
  if (mode !== 'bearer' && mode !== 'oauth')
    throw problem('serve.token', `is for auth.mode bearer or oauth, and it is ${String(mode)}`);
  if (typeof token !== 'string') throw problem('serve.token', 'must be text');
  // A reference to an unset variable stays unused; `quire mcp doctor` reports it.
  if (hasReference(token)) return { ...before, mode };
  if (token.length < MIN_TOKEN) throw problem('serve.token', `must have ${MIN_TOKEN} characters or more`);
  return { ...before, mode, tokens: Array.isArray(tokens) ? [...tokens, token] : tokens };
}

/** Worded as `config: <path>: <problem>`; the exit code is 3. */
function problem(path: string, what: string): AppError {
  return new AppError('invalid_input', 'config', { subject: `${path}: ${what}`, reason: 'invalid_plane' });
}
