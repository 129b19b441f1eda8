/** The arguments of a call as somebody typed them: JSON from a flag, a file or stdin, and single ones over it. */
import { resolve } from 'node:path';
import type { Definition } from '../../governance/types.ts';
import { AppError } from '../../shared/errors.ts';
import { printable } from '../../shared/printable.ts';
import type { McpCall } from './command.ts';
import { readInput, readText } from './files.ts';

const MAX_BYTES = 1_048_576;

export type Arguments = Readonly<Record<string, unknown>>;

/** `definition` is only asked for where a type has to be known. */
export async function argumentsOf(
  { options, workingFolder }: McpCall,
  definition: () => Promise<Definition | undefined>,
): Promise<Arguments> {
  const whole = await wholeOf(options.args, workingFolder);
  const pairs = ((options.arg ?? []) as readonly string[]).map(pairOf);
  if (pairs.length === 0) return whole;
  const types = typesIn((await definition())?.inputSchema);
  const single = pairs.map(([name, text]) => [name, typed(text, types(name))] as const);
  return { ...whole, ...Object.fromEntries(single) };
}

async function wholeOf(given: unknown, folder: string): Promise<Arguments> {
  if (typeof given !== 'string') return {};
  const text = await textOf(given, folder);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw notArguments('--args is not JSON', cause);
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Arguments;
  throw notArguments('--args is not a JSON object');
}

async function textOf(given: string, folder: string): Promise<string> {
  if (given === '-') return readInput(MAX_BYTES);
  return given.startsWith('@') ? readText(resolve(folder, given.slice(1)), MAX_BYTES) : given;
}

function pairOf(text: string): readonly [string, string] {
  const at = text.indexOf('=');
  if (at > 0) return [text.slice(0, at), text.slice(at + 1)];
  throw new AppError('invalid_input', '--arg must be name=value', { subject: printable(text, 40) });
}

function typesIn(schema: unknown): (name: string) => unknown {
  const { properties = {} } = (schema ?? {}) as { properties?: Record<string, { type?: unknown }> };
  return (name) => (Object.hasOwn(properties, name) ? properties[name]?.type : undefined);
}

/** Text where the tool wants text, or nobody knows what it wants and it is no JSON. */
function typed(text: string, type: unknown): unknown {
  if (type === 'string') return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function notArguments(title: string, cause?: unknown): AppError {
  return new AppError('invalid_input', title, {
    hint: `For example: --args '{"path":"a.md"}', --args @file.json, --args - for stdin, or --arg path=a.md`,
    cause,
  });
}
