/** The clients of this machine: which are there, and which have Quire in their configuration. */
import { readFile } from 'node:fs/promises';
import { AppError, isAppError } from '../shared/errors.ts';
import { ifPresent } from '../shared/fs/errno.ts';
import type { Client, ClientSystem, ConfigPlace } from './client.ts';
import { type ParsedConfig, parseConfig } from './edit.ts';
import { placesFound } from './places.ts';
import { commandOf, isQuires, missingPart, urlOf } from './recognize.ts';
import { CLIENTS } from './table.ts';

export interface InstalledClient {
  readonly client: Client;
  readonly places: readonly ConfigPlace[];
}

export async function installedClients(
  system: ClientSystem,
  clients: readonly Client[] = CLIENTS,
): Promise<InstalledClient[]> {
  const found = await Promise.all(
    clients.map(async (client) => ({ client, places: await placesFound(client, system) })),
  );
  return found.filter(({ places }) => places.length > 0);
}

/** A missing file is an empty one. */
export async function readConfig(client: Client, file: string): Promise<ParsedConfig> {
  const bytes = await ifPresent(readFile(file)).catch((cause: unknown) => {
    throw new AppError('forbidden', `The configuration of ${client.title} cannot be read`, {
      subject: file,
      hint: 'Nothing was changed. It has to be a file that you may read: check its permissions and those of its folder, then run quire connect again.',
      cause,
    });
  });
  const text = bytes?.toString('utf8') ?? '';
  // A character that is not UTF-8 would be another one when the file is written again.
  if (bytes && !Buffer.from(text).equals(bytes))
    throw new AppError('invalid_input', `The configuration of ${client.title} is not in UTF-8`, {
      subject: file,
      hint: 'Nothing was changed. Save the file in UTF-8, then run quire connect again.',
    });
  return parseConfig(client, file, text);
}

export interface ConnectedClient {
  /** Title of the client. */
  readonly client: string;
  readonly file: string;
  /** Name of the entry; undefined where the file could not be read. */
  readonly name?: string;
  /** What the client starts, or the address that it connects to. */
  readonly launches?: string;
  readonly url?: string;
  /** The program or script that the entry names and that is not there. */
  readonly missing?: string;
  /** Why the file could not be read. */
  readonly problem?: string;
}

/** Every entry of Quire in the clients of this machine, and every configuration that cannot be read. */
export async function clientsWithQuire(system: ClientSystem): Promise<ConnectedClient[]> {
  const installed = await installedClients(system);
  const places = installed.flatMap(({ client, places: all }) => all.map(({ file }) => ({ client, file })));
  return (await Promise.all(places.map(({ client, file }) => entriesIn(client, file, system)))).flat();
}

async function entriesIn(client: Client, file: string, system: ClientSystem): Promise<ConnectedClient[]> {
  const at = { client: client.title, file };
  try {
    const { entries } = await readConfig(client, file);
    const ours = [...entries].filter(([name, entry]) => isQuires(name, entry));
    return await Promise.all(
      ours.map(async ([name, entry]) => {
        const launch = commandOf(entry);
        if (!launch) return { ...at, name, url: urlOf(entry) };
        const launches = [launch.command, ...launch.args].join(' ');
        return { ...at, name, launches, missing: await missingPart(launch, system) };
      }),
    );
  } catch (error) {
    return [{ ...at, problem: isAppError(error) ? (error.subject ?? error.message) : String(error) }];
  }
}
