/**
 * `quire connect`: writes Quire into the configuration of the clients on this machine. Each change is shown first, and
 * written on a yes. A file that cannot be changed is reported, and the others are still done.
 */
import { dirname } from 'node:path';
import type { Client, ClientSystem, ConfigPlace, Target } from '../../clients/client.ts';
import { installedClients, readConfig } from '../../clients/installed.ts';
import { CLIENTS } from '../../clients/table.ts';
import { writeConfig } from '../../clients/write-config.ts';
import { AppError, isAppError } from '../../shared/errors.ts';
import { isErrno } from '../../shared/fs/errno.ts';
import { nearest } from '../../shared/nearest.ts';
import { createQuestions, type Questions } from '../ask.ts';
import { commandOf, EXIT_CODES, inNameOf } from '../exit-code.ts';
import { launchOfThis, thisSystem } from '../launch.ts';
import { systemTerminal, type Terminal, viewOf } from '../mcp/terminal.ts';
import { additionTo, type FileChange, removalFrom } from './plan.ts';
import { byHand, diffOf, titleOf } from './show.ts';
import { type TargetOptions, type Targets, targetsOf } from './targets.ts';

export interface ConnectOptions extends TargetOptions {
  /** Names of clients; none: every client found. */
  readonly clients: readonly string[];
  readonly yes?: boolean;
  readonly print?: boolean;
  readonly remove?: boolean;
}

/** The terminal and the machine that a run is about. */
export interface Dialogue {
  readonly terminal: Terminal;
  readonly questions: Questions;
  readonly system: ClientSystem;
}

export async function connect(options: ConnectOptions): Promise<void> {
  const terminal = systemTerminal();
  const system = thisSystem(terminal.environment);
  const dialogue = { terminal, system, questions: createQuestions() };
  if ((await connectAll(options, dialogue)) > 0) process.exitCode = EXIT_CODES.usage;
}

/** How many files could not be changed. */
export async function connectAll(options: ConnectOptions, dialogue: Dialogue): Promise<number> {
  const { terminal, system } = dialogue;
  const clients = clientsNamed(options.clients);
  const { byName, notes } = await wanted(options, dialogue);
  const found = await installedClients(system, clients);
  const absent =
    options.clients.length > 0 ? clients.filter((client) => !found.some((one) => one.client === client)) : [];
  if (found.length === 0 && !(options.print && absent.length > 0)) throw noneFound(clients, options);
  if (found.length > 0) await terminal.out(`Found: ${found.map(({ client }) => client.title).join(', ')}.\n`);
  for (const note of notes) await terminal.out(`${asTyped(note, terminal)}\n`);
  let failed = 0;
  let waiting = 0;
  const consent = { toAll: options.yes === true };
  for (const { client, places } of found)
    for (const place of places) {
      const outcome = await attempt(dialogue, async () => {
        const change = await changeOf(client, place, { options, targets: byName, system });
        return settle(change, { options, consent }, dialogue);
      });
      if (outcome === 'failed') failed += 1;
      if (outcome === 'waiting') waiting += 1;
    }
  for (const client of absent) failed += await tellAbsent(client, byName, { options, dialogue });
  if (waiting > 0)
    throw new AppError('invalid_input', 'Nothing was written, because there is no terminal to ask on', {
      hint: 'Write these changes with --yes, or only look at them with --print.',
    });
  return failed;
}

async function wanted(options: ConnectOptions, { system, terminal }: Dialogue): Promise<Targets> {
  if (options.remove) {
    if ([options.folder, options.config, options.http].some((given) => given !== undefined))
      throw new AppError('invalid_input', '--remove takes the name of an entry only', {
        hint: 'Leave --folder, --config and --http out.',
      });
    return { byName: new Map(), notes: [] };
  }
  const launch = await launchOfThis(system.env);
  return targetsOf(options, { system, workingFolder: terminal.workingFolder, launch });
}

function clientsNamed(names: readonly string[]): readonly Client[] {
  if (names.length === 0) return CLIENTS;
  const known = CLIENTS.map(({ name }) => name);
  return [...new Set(names)].map((given) => {
    const word = given.toLowerCase().replaceAll(/[\s_]+/g, '-');
    const client = CLIENTS.find(
      ({ name, title }) => name === word || title.toLowerCase().replaceAll(' ', '-') === word,
    );
    if (client) return client;
    const suggestion = nearest(word, known);
    throw new AppError('invalid_input', 'This client is not known', {
      subject: suggestion === undefined ? given : `${given} (did you mean ${suggestion}?)`,
      hint: `Clients: ${known.join(', ')}.`,
    });
  });
}

function noneFound(clients: readonly Client[], { clients: named, remove }: ConnectOptions): AppError {
  const example = named[0] ?? 'claude-desktop';
  const hint = remove ? undefined : `To see what to add by hand: quire connect ${example} --print.`;
  if (named.length === 0)
    return new AppError('not_found', 'No AI client was found on this machine', { hint });
  const titles = clients.map(({ title }) => title).join(', ');
  return new AppError('not_found', 'Not found on this machine', { subject: titles, hint });
}

interface ChangeSource {
  readonly options: ConnectOptions;
  readonly targets: ReadonlyMap<string, Target>;
  readonly system: ClientSystem;
}

async function changeOf(client: Client, place: ConfigPlace, source: ChangeSource): Promise<FileChange> {
  const config = await readConfig(client, place.file);
  return source.options.remove
    ? removalFrom(config, place, source.options.name)
    : additionTo(config, place, source);
}

type Outcome = 'done' | 'failed' | 'waiting';

interface Wishes {
  readonly options: ConnectOptions;
  /** Whether the rest is written without asking. An entry of another server never is. */
  readonly consent: { toAll: boolean };
}

/** Shows a change, and writes it where that is wanted. */
async function settle(
  change: FileChange,
  { options, consent }: Wishes,
  dialogue: Dialogue,
): Promise<Outcome> {
  const { terminal, questions } = dialogue;
  const title = titleOf(change);
  const { file } = change.place;
  for (const name of change.left)
    await terminal.out(
      `\n${title}: the entry ${name} does not start Quire, so it stays. To remove it all the same: --remove --name ${name}.\n`,
    );
  if (change.before === change.after) {
    await terminal.out(`\n${title}: nothing to change in ${file}\n`);
    return 'done';
  }
  await terminal.out(`\n${title}\n${diffOf(change, viewOf(terminal, false).color)}\n`);
  const foreign = change.foreign.join(', ');
  if (foreign) await terminal.out(`This replaces ${foreign}, which does not start Quire.\n`);
  if (options.print) return 'done';
  if (options.yes && foreign)
    throw new AppError('already_exists', `${title} has another server under this name`, {
      subject: `${foreign} in ${file}`,
      hint: 'It was not replaced. Choose another name with --name, or leave --yes out to be asked.',
    });
  if (!options.yes && !questions.canAsk) return 'waiting';
  const question = `Write this to ${file}?`;
  if (foreign ? await questions.askYesNo(question) : await isWanted(question, consent, questions))
    await write(change, dialogue);
  else await terminal.out(`${title}: left as it is.\n`);
  return 'done';
}

/** The person has asked for the change, so an empty answer is yes. */
async function isWanted(question: string, consent: Wishes['consent'], questions: Questions) {
  if (consent.toAll) return true;
  const answer = await questions.askYesNoAll(question);
  consent.toAll = answer === 'all';
  return answer !== false;
}

async function write(change: FileChange, { terminal }: Dialogue): Promise<void> {
  const title = titleOf(change);
  const { place, before, after, client } = change;
  const { file, backup } = await writeConfig(place.file, before, after).catch((error: unknown) => {
    throw isAppError(error) ? error : notWritten(change, error);
  });
  const target = file === place.file ? '' : `, which is a link to ${file}`;
  const copy = backup === undefined ? '' : ` The file as it was: ${backup}`;
  await terminal.out(`${title}: written to ${place.file}${target}.${copy}\n${client.next}\n`);
}

/** A change needs its folder too: the new file is made beside the old one, and then renamed. */
export function notWritten(change: Pick<FileChange, 'client' | 'place'>, cause: unknown): AppError {
  const { path, dest = path } = cause as { readonly path?: string; readonly dest?: string };
  const folder = dirname(dest ?? change.place.file);
  const why = isErrno(cause, 'EACCES', 'EPERM', 'EROFS')
    ? `You may not write in the folder ${folder}. Give yourself the right to, then run quire connect again; or add the entry by hand: quire connect ${change.client.name} --print shows it.`
    : `The system says: ${cause instanceof Error ? cause.message : String(cause)}.`;
  return new AppError('forbidden', `The configuration of ${titleOf(change)} cannot be written`, {
    subject: change.place.file,
    hint: `Nothing was changed. ${why}`,
    cause,
  });
}

async function tellAbsent(
  client: Client,
  targets: ReadonlyMap<string, Target>,
  { options, dialogue }: { readonly options: ConnectOptions; readonly dialogue: Dialogue },
): Promise<number> {
  const { terminal, system } = dialogue;
  if (options.print && !options.remove) {
    await terminal.out(`\n${byHand(client, targets, system)}`);
    return 0;
  }
  await terminal.err(`quire: ${client.title} was not found on this machine\n`);
  return options.remove ? 0 : 1;
}

function asTyped(text: string, { environment }: Terminal): string {
  return inNameOf(commandOf(process.argv, environment), text);
}

/** A file that cannot be changed does not keep the others from it. */
async function attempt({ terminal }: Dialogue, work: () => Promise<Outcome>): Promise<Outcome> {
  try {
    return await work();
  } catch (error) {
    if (!isAppError(error)) throw error;
    const hint = error.hint === undefined ? '' : `${asTyped(error.hint, terminal)}\n`;
    await terminal.err(`quire: ${error.message}\n${hint}`);
    return 'failed';
  }
}
