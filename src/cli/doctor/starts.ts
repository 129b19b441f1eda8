/** The start that `quire doctor` examines: which command it would be, and the configuration that command would load. */
import type { StartKind } from '../../app/doctor/start-checks.ts';
import { brainCommand } from '../../config/commands/brain.ts';
import type { CommandFlag, CommandSpec } from '../../config/commands/command.ts';
import { serveCommand } from '../../config/commands/serve.ts';
import { PLACES, silverbulletCommand } from '../../config/commands/silverbullet.ts';
import { triliumCommand } from '../../config/commands/trilium.ts';
import { vaultCommand } from '../../config/commands/vault.ts';
import type { Environment } from '../../config/plane-file.ts';
import { brainSchema, type Config } from '../../config/schema.ts';
import { AppError } from '../../shared/errors.ts';
import { configOf, type FolderCommand } from '../command.ts';

/** The commands whose starts differ in what they read and check. */
const STARTS: Readonly<Record<string, CommandSpec>> = {
  serve: serveCommand,
  vault: vaultCommand,
  silverbullet: silverbulletCommand,
  trilium: triliumCommand,
  brain: brainCommand,
};

const START_NAMES = Object.keys(STARTS).join(', ');

export interface ExaminedStart {
  readonly config: Config;
  /** The command line as the command that starts would see it. */
  readonly examined: FolderCommand;
  /** Undefined for notes that no command line serves as they are given here. */
  readonly kind?: StartKind;
}

export async function startOf(
  command: FolderCommand,
  as: string | undefined,
  env: Environment,
): Promise<ExaminedStart> {
  if (as !== undefined) return startAs(command, as, env);
  const file = command.file ?? env.QUIRE_CONFIG;
  const placed = specFor(command, env);
  if (file === undefined || command.folder !== undefined) return loaded({ ...command, spec: placed }, env);
  const spec = { ...serveCommand, options: [...serveCommand.options, ...placed.options] };
  const start = await loaded({ ...command, spec }, env);
  return start.config.gateway
    ? startAs(command, 'trilium', env)
    : { ...start, kind: overHttpOr('stdio', start.config) };
}

async function loaded(examined: FolderCommand, env: Environment): Promise<ExaminedStart> {
  return { config: await configOf(examined, env), examined };
}

function overHttpOr(other: StartKind, { serve, auth }: Config): StartKind {
  return serve || auth ? 'http' : other;
}

async function startAs(command: FolderCommand, name: string, env: Environment): Promise<ExaminedStart> {
  const spec = STARTS[name];
  if (!spec)
    throw new AppError('invalid_input', 'No such start', { subject: name, hint: `Use ${START_NAMES}.` });
  const start = await loaded({ ...command, spec }, env);
  const { config } = start;
  if (name === 'trilium')
    return { ...start, kind: config.gateway?.transport === 'http' ? 'gateway' : 'stdio' };
  if (name !== 'brain') return { ...start, kind: 'http' };
  const brain = { ...(config.brain ?? brainSchema.parse({})), enabled: true, alone: true };
  return { ...start, config: { ...config, brain }, kind: overHttpOr('stdio', config) };
}

/** Addresses of the environment do not count where the command line names a folder, a file or another place. */
export function specFor({ spec, folder, file, flags }: FolderCommand, env: Environment): CommandSpec {
  const placeOf = (setting: string) => setting.slice(0, setting.indexOf('.'));
  const named = Object.keys(flags)
    .filter((setting) => PLACES.includes(setting))
    .map(placeOf);
  if (named.length === 0 && folder === undefined && (file ?? env.QUIRE_CONFIG) === undefined) return spec;
  const counts = ({ setting }: CommandFlag) => !PLACES.includes(setting) || named.includes(placeOf(setting));
  return { ...spec, options: spec.options.filter(counts) };
}
