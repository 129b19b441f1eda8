/** The notes that `quire history` and `quire undo` are about, from a parsed command line. */
import { basename, dirname, relative, resolve, sep } from 'node:path';
import { historyPlaceOf } from '../../app/change-tracking.ts';
import { type NotebookHistory, openNotebookHistory } from '../../app/history.ts';
import { historyOn, openDatabaseOf } from '../../app/shared-state.ts';
import type { Environment } from '../../config/plane-file.ts';
import type { Config } from '../../config/schema.ts';
import { AppError } from '../../shared/errors.ts';
import { isFolder, isThere, stateFolderOf } from '../../shared/fs/errno.ts';
import { fromHome } from '../../shared/fs/folder.ts';
import { configOf, type FolderCommand, isPlaced, logOf, withUsualFile } from '../command.ts';
import { specFor } from '../doctor/starts.ts';

export interface HistoryScope {
  /** Those that are meant. */
  readonly notebooks: readonly NotebookHistory[];
  /** The other ones of the configuration. */
  readonly others: readonly NotebookHistory[];
  /** A note or a folder in the notebooks. */
  readonly path?: string;
  close(): Promise<void>;
}

export interface ScopeSources {
  readonly environment: Environment;
  readonly workingFolder: string;
  readonly err: (text: string) => unknown;
}

/** `named`: a notebook, a folder of notes, or a path in the notebooks. */
export async function openScope(
  command: FolderCommand,
  named: string | undefined,
  sources: ScopeSources,
): Promise<HistoryScope> {
  const { config, path, name } = await resolveScope(command, named, sources);
  const place = historyPlaceOf(config, stateFolderOf(sources.environment), sources.environment.PATH);
  if (!place)
    throw new AppError('unsupported', 'No history is kept of these notes', {
      hint:
        config.history === 'off'
          ? 'The configuration has history: off. Leave it out to have changes recorded from then on.'
          : 'The state folder is "memory". Name a folder with --state-dir, here and for the server.',
    });
  const log = logOf(command, sources.environment, (line) => void sources.err(line));
  const database = await openDatabaseOf(config, log);
  const shared = (await historyOn(database, place)) ?? place;
  const services = { log, place: shared, database, databaseUrl: config.state?.postgres };
  const opened = Object.entries(config.notebooks).map(([title, notebook]) =>
    openNotebookHistory(title, notebook, services),
  );
  const isMeant = ({ name: title }: NotebookHistory) => name === undefined || title === name;
  return {
    notebooks: opened.filter(isMeant),
    others: opened.filter((one) => !isMeant(one)),
    path,
    close: async () => {
      await Promise.all(opened.map((one) => one.close()));
      await database?.close();
    },
  };
}

interface ResolvedScope {
  readonly config: Config;
  readonly path?: string;
  /** Of the only notebook that is meant. */
  readonly name?: string;
}

async function resolveScope(
  command: FolderCommand,
  named: string | undefined,
  { environment, workingFolder }: ScopeSources,
): Promise<ResolvedScope> {
  const load = (from: FolderCommand) =>
    configOf({ ...from, spec: specFor(from, environment) }, environment).then(withNotebooks);
  const found = await withUsualFile(command, environment, workingFolder);
  const hasPlace = isPlaced(found, environment);
  const place = named === undefined ? undefined : resolve(workingFolder, fromHome(named));
  if (place !== undefined && !hasPlace) {
    const isHere = await isFolder(place);
    if (!isHere && (await isThere(place))) throw isNote(place);
    if (!isHere)
      throw new AppError('not_found', 'No such folder', {
        subject: named,
        hint: `Usage: ${command.usage}\nOr write a configuration once, with: quire init`,
      });
    return { config: await load({ ...found, folder: place }) };
  }
  const config = await load(found);
  const { name } = command;
  if (name !== undefined && !config.notebooks[name])
    throw new AppError('not_found', 'No such notebook', {
      subject: name,
      hint: `Notebooks: ${Object.keys(config.notebooks).join(', ')}.`,
    });
  if (named === undefined || place === undefined) return { config, name };
  if (name === undefined && config.notebooks[named]) return { config, name: named };
  const within = name === undefined ? notebookAround(config, place) : undefined;
  if (within) return { config, ...within };
  // A single word is a folder in the notebooks rather than one on the disk.
  if (name === undefined && named.includes(sep) && (await isFolder(place)))
    return { config: await load({ ...found, folder: place }) };
  return { config, name, path: tidy(named) };
}

function isNote(file: string): AppError {
  return new AppError('invalid_input', `${file} is a file, not a folder of notes`, {
    hint: `For the changes of one note, name its folder too: quire history ${basename(file)} --folder ${dirname(file)}`,
  });
}

function withNotebooks(config: Config): Config {
  if (Object.keys(config.notebooks).length > 0) return config;
  throw new AppError('invalid_input', 'The configuration names no notebook', {
    hint: 'Add a folder of notes under notebooks, or write a new file with: quire init',
  });
}

/** The notebook whose folder a place on the disk is, or is in. */
function notebookAround(
  { notebooks }: Config,
  place: string,
): Pick<ResolvedScope, 'name' | 'path'> | undefined {
  for (const [name, { folder }] of Object.entries(notebooks)) {
    if (folder === undefined) continue;
    const inside = relative(resolve(folder), place);
    if (inside === '') return { name };
    if (inside.split(sep)[0] !== '..') return { name, path: tidy(inside) };
  }
  return undefined;
}

/** As paths stand in the history. */
function tidy(path: string): string {
  return path
    .split(sep)
    .join('/')
    .replace(/^(?:\.?\/)+|\/+$/g, '');
}
