/** Two errors of 2025-11-25 that the SDK words otherwise: a resource that is not there, and parameters of a wrong shape. */
import type { JSONRPCMessage } from '@modelcontextprotocol/server';

const INVALID_PARAMS = -32_602;
const INTERNAL = -32_603;
const RESOURCE_NOT_FOUND = -32_002;
const MOST_PROBLEMS = 3;

type ErrorResponse = Extract<JSONRPCMessage, { error: unknown }>;

/** `method` is that of the request. */
export function asOf2025(message: ErrorResponse, method: string | undefined): ErrorResponse {
  const { error } = message;
  const uri = (error.data as { uri?: unknown } | undefined)?.uri;
  if (method === 'resources/read' && error.code === INVALID_PARAMS && typeof uri === 'string')
    return { ...message, error: { ...error, code: RESOURCE_NOT_FOUND } };
  const problems = error.code === INTERNAL ? problemsIn(error.message) : [];
  if (problems.length === 0) return message;
  return { ...message, error: { code: INVALID_PARAMS, message: `Invalid params: ${problems.join('; ')}` } };
}

/** The SDK throws what its schema says, as JSON. */
function problemsIn(text: string): string[] {
  if (!text.startsWith('[')) return [];
  try {
    const issues = JSON.parse(text) as readonly { path?: unknown; message?: unknown }[];
    return issues
      .slice(0, MOST_PROBLEMS)
      .flatMap(({ path, message }) =>
        Array.isArray(path) && typeof message === 'string'
          ? [`${path.filter((step) => step !== 'params').join('.')}: ${message.slice(0, 200)}`]
          : [],
      );
  } catch {
    return [];
  }
}
