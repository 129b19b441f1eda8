/** The file of a door's own, as the server it stands in for reads it. One that cannot be read is an error, not nothing. */
import { readFile } from 'node:fs/promises';
import { AppError } from '../shared/errors.ts';
import type { Door } from './door.ts';

/** Its settings by name; none when there is no such file. The first that is there counts. */
export async function readDoorFile(
  { file }: Door,
  places: readonly string[],
): Promise<Readonly<Record<string, unknown>>> {
  if (!file) return {};
  for (const place of places) {
    const text = await readFile(place, 'utf8').catch(absent);
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

function absent(error: NodeJS.ErrnoException): undefined {
  if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined;
  throw new AppError('invalid_input', 'A configuration file cannot be read', { cause: error });
}

function parsed(text: string, place: string): Record<string, unknown> {
  try {
    const content: unknown = JSON.parse(text);
    if (typeof content === 'object' && content !== null && !Array.isArray(content))
      return content as Record<string, unknown>;
  } catch {
    // Said below, without what stands in it: there may be a token.
  }
  throw new AppError('invalid_input', 'A configuration file is not a JSON object', { subject: place });
}
