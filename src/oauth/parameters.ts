/**
 * Reads request parameters within limits. A repeated parameter is refused, an empty one counts as absent (RFC 6749
 * §3.1).
 */
import { OAuthError } from './answers.ts';

export interface Parameters {
  get(name: string): string | undefined;
  /** Throws `invalid_request` when the parameter is missing. */
  require(name: string): string;
  /** Values of `resource`, the only parameter that may be repeated (RFC 8707 §2). */
  readonly resources: readonly string[];
}

const MAX_BODY_BYTES = 64 * 1024;
export const MAX_QUERY_LENGTH = 8 * 1024;

const FORM = 'application/x-www-form-urlencoded';

export function parseParameters(text: string): Parameters {
  const values = new Map<string, string>();
  const resources = new Set<string>();
  for (const [name, value] of new URLSearchParams(text)) {
    if (name === 'resource') {
      if (value !== '') resources.add(value);
      continue;
    }
    if (values.has(name))
      throw new OAuthError('invalid_request', `The parameter ${shown(name)} is given more than once`);
    values.set(name, value);
  }
  const get = (name: string) => values.get(name) || undefined;
  return {
    get,
    require(name) {
      const value = get(name);
      if (value === undefined) throw new OAuthError('invalid_request', `The parameter ${name} is missing`);
      return value;
    },
    resources: [...resources],
  };
}

export async function readForm(request: Request): Promise<Parameters> {
  assertType(request, FORM);
  return parseParameters(await readBody(request));
}

export async function readJson(request: Request): Promise<unknown> {
  assertType(request, 'application/json');
  const text = await readBody(request);
  try {
    return JSON.parse(text);
  } catch {
    throw new OAuthError('invalid_request', 'The body is not JSON');
  }
}

function assertType(request: Request, wanted: string): void {
  const type = request.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase();
  if (type === wanted) return;
  throw new OAuthError('invalid_request', `Send the body as ${wanted}, not as ${shown(type ?? 'nothing')}`, {
    status: type === undefined ? 400 : 415,
  });
}

async function readBody(request: Request): Promise<string> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of request.body ?? []) {
    length += chunk.length;
    if (length > MAX_BODY_BYTES)
      throw new OAuthError('invalid_request', `The body is larger than ${MAX_BODY_BYTES / 1024} KB`, {
        status: 413,
      });
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function shown(text: string): string {
  return text.replace(/[^\x20-\x7e]|["\\]/g, '?').slice(0, 60);
}
