/** What the entries start or connect to, from the flags of `quire connect`. */
import { readFile, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { ClientSystem, Launch, Target } from '../../clients/client.ts';
import { launching, servingFolder } from '../../clients/launch.ts';
import { ENTRY_NAME, entryNames } from '../../clients/recognize.ts';
import { notebookCommand } from '../../config/commands/notebook.ts';
import { loadConfig } from '../../config/load.ts';
import { AppError } from '../../shared/errors.ts';
import { ifPresent } from '../../shared/fs/errno.ts';
import { fromHome, readableFolder } from '../../shared/fs/folder.ts';
import { isLoopbackHost } from '../../shared/ip-ranges.ts';

export interface TargetOptions {
  /** Notes to serve over stdio; else those of `config`. */
  readonly folder?: string;
  readonly config?: string;
  /** Address of a running server, instead of a program that the client starts. */
  readonly http?: string;
  /** Name of the entry. */
  readonly name?: string;
}

export interface Targets {
  readonly byName: ReadonlyMap<string, Target>;
  /** What to know about them. */
  readonly notes: readonly string[];
}

interface Surroundings {
  readonly system: ClientSystem;
  readonly workingFolder: string;
  /** What starts Quire. */
  readonly launch: Launch;
}

const USUAL_FILE = 'quire.yaml';

export async function targetsOf(options: TargetOptions, around: Surroundings): Promise<Targets> {
  const { folder, config, http } = options;
  if ([folder, config, http].filter((given) => given !== undefined).length > 1)
    throw new AppError('invalid_input', 'Give one of --folder, --config and --http');
  const name = checkedName(options.name);
  if (http !== undefined) return httpTarget(http, name);
  const path = (given: string) => resolve(around.workingFolder, fromHome(given, around.system.home));
  if (folder !== undefined) {
    const launch = servingFolder(around.launch, await checkedFolder(path(folder)));
    return { byName: new Map([[name, { launch }]]), notes: [] };
  }
  const named = config ?? around.system.env.QUIRE_CONFIG;
  const file = path(named ?? USUAL_FILE);
  if (named === undefined && !(await ifPresent(stat(file))))
    throw new AppError('invalid_input', 'Which notes? There is no quire.yaml in this folder', {
      hint: 'Name a folder, as in quire connect --folder ~/notes, or write a configuration with quire init.',
    });
  return configTargets(file, name, around);
}

/** Codex and Claude Code take no other characters. */
function checkedName(name = ENTRY_NAME): string {
  if (/^[A-Za-z0-9_-]{1,64}$/.test(name)) return name;
  throw new AppError('invalid_input', 'The name of an entry has letters, digits, - and _ only', {
    subject: name,
    hint: 'For example: --name my-notes.',
  });
}

function httpTarget(text: string, name: string): Targets {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const wrong = (title: string, hint: string) =>
    new AppError('invalid_input', title, { subject: text, hint });
  if (!url || !/^https?:$/.test(url.protocol))
    throw wrong('--http needs the address of a server', 'For example: --http https://notes.example.com/mcp.');
  if (url.username || url.password)
    throw wrong('The address holds a password', 'Leave it out: clients sign in by themselves.');
  if (url.protocol === 'http:' && !isLoopbackHost(url.hostname))
    throw wrong(
      'Only https is safe beyond this machine',
      'Use the https address of the server; http is for 127.0.0.1 and localhost.',
    );
  const isBare = url.pathname === '/' && url.search === '';
  if (isBare) url.pathname = '/mcp';
  const notes = isBare ? [`Quire answers at /mcp, so the address is ${url.href}.`] : [];
  return { byName: new Map([[name, { url: url.href }]]), notes };
}

/** As it was named: the client is to find it there even when a link leads elsewhere later. */
async function checkedFolder(folder: string): Promise<string> {
  await readableFolder(folder);
  return folder;
}

/** One entry for each notebook, so that each can be switched off by itself. */
async function configTargets(file: string, name: string, { system, launch }: Surroundings): Promise<Targets> {
  const spec = { ...notebookCommand, keepsVariables: true } as const;
  const { notebooks } = await loadConfig({ flags: {}, env: system.env, spec, file });
  const all = Object.keys(notebooks);
  const start = launching(launch, '--config', file);
  const variables = await variablesOf(file);
  const notes =
    variables.length === 0
      ? []
      : [
          `${file} takes ${variables.join(', ')} from the environment: the client must be started with ${variables.length === 1 ? 'it' : 'them'} set.`,
        ];
  if (all.length < 2) return { byName: new Map([[name, { launch: start }]]), notes };
  const names = entryNames(all, name);
  const byName = all.map(
    (notebook, at) => [names[at] ?? notebook, { launch: launching(start, '--notebook', notebook) }] as const,
  );
  return {
    byName: new Map(byName),
    notes: [
      ...notes,
      `One entry for each of ${all.length} notebooks, because a client starts one program for each. With quire serve and --http, one entry has them all.`,
    ],
  };
}

async function variablesOf(file: string): Promise<string[]> {
  const text = await readFile(file, 'utf8');
  const lines = text.split('\n').filter((line) => !/^\s*#/.test(line));
  return [
    ...new Set([...lines.join('\n').matchAll(/\$\{env:(\w+)\}/g)].map(([, variable = '']) => variable)),
  ];
}
