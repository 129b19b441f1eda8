/**
 * `quire mcp remove <server>`: takes a server out of the configuration, with all that it was given. The configuration
 * without it must be right before anything is changed, so that its own entry need not be.
 */
import { basename } from 'node:path';
import { partsOfServer } from '../../governance/audit/noticed.ts';
import { deletePlaces, forgetServer, type LeftPlace, placesLeftBy } from '../../governance/forget-server.ts';
import { replaceText } from '../../governance/marketplace/marketplace.ts';
import { withoutServer } from '../../governance/marketplace/remove-server.ts';
import type { Plane } from '../../governance/plane.ts';
import { noSuchServer } from '../../governance/refusals.ts';
import { switchServer } from '../../governance/switch-server.ts';
import { isAppError } from '../../shared/errors.ts';
import { printable } from '../../shared/printable.ts';
import { isWithin } from '../../upstream/sandbox/backends.ts';
import { withCandidate } from './candidate.ts';
import { type McpCall, type McpCommand, type McpOutput, plainOutput, SERVER } from './command.ts';
import { McpFailure } from './exit.ts';
import { confirmed, KEY_FILE } from './person.ts';
import { fileOf, withPlane } from './plane.ts';

export const remove: McpCommand = {
  name: 'remove',
  summary: 'take a server out of the configuration, with its approvals and accepted definitions',
  arguments: [SERVER],
  options: [
    { flag: '--purge', description: 'also delete its own folder with what it kept, and its log; asks again' },
    KEY_FILE,
  ],
  examples: [
    ['remove mail', 'asks first; what it kept stays'],
    ['remove mail --purge', 'shows what would be deleted, and asks twice'],
  ],
  async run(call) {
    const name = call.args.server ?? '';
    const file = fileOf(call);
    const removal = await withoutServer(file.text, name).catch((error: unknown) => {
      if (call.options.purge === true && isAppError(error) && error.code === 'not_found') return undefined;
      throw error;
    });
    if (!removal) return purgeAfterwards(call, name);
    const { text, entry } = removal;
    try {
      return await withCandidate(call, { file, text, decided: partsOfServer(name) }, (plane) =>
        removeFrom(plane, { call, name, text, ownFolder: entry.sandbox_cwd }),
      );
    } catch (error) {
      throw error instanceof McpFailure && error.kind === 'config' ? withoutIt(error, name) : error;
    }
  },
};

interface Removing {
  readonly call: McpCall;
  readonly name: string;
  /** The configuration without the server. */
  readonly text: string;
  readonly ownFolder: unknown;
}

async function removeFrom(plane: Plane, { call, name, text, ownFolder }: Removing): Promise<McpOutput> {
  const file = fileOf(call);
  const isPurged = call.options.purge === true;
  const left = await placesLeftBy(plane.config, name);
  const deleted = isPurged ? left.filter(({ usedBy }) => usedBy === undefined) : [];
  const lost = (await plane.approvals.list({ server: name })).filter(
    ({ state }) => state === 'pending' || state === 'approved',
  ).length;
  await call.tell(
    `${name} would be taken out of ${file.path}. It loses its accepted definitions and ${lost} open or given approvals.`,
  );
  let decider = await confirmed(call, plane.config, `Remove ${name}?`);
  if (deleted.length > 0) decider = await confirmedDeletion(call, plane, deleted);
  call.signal.throwIfAborted();
  // What cannot be recorded is not done.
  await plane.audit.ready();
  await replaceText(file.path, file.text, text);
  // Processes that run still have it in their configuration.
  await switchServer(plane, { name }, false, decider);
  await plane.audit.record({ event: 'removed', server: name, ...(isPurged && { isPurged }), ...decider });
  const { hadLogin } = await forgetServer(plane, name, decider);
  await deletePlaces(deleted);
  const kept = left.filter((place) => !deleted.includes(place));
  if (hadLogin)
    call.note(`Its login was deleted here. To withdraw it there too, look at your account at ${name}.`);
  return plainOutput(
    {
      removed: true,
      server: name,
      file: file.path,
      deleted: deleted.map(({ path }) => path),
      kept: kept.map(({ path }) => path),
    },
    `${name} is no longer in ${basename(file.path)}, and ${lost} approvals of it are void.`,
    ...deleted.map(({ path }) => `Deleted: ${path}`),
    ...kept.map((place) => keptLine(place)),
    ...(typeof ownFolder === 'string' && !left.some(({ path }) => isWithin(ownFolder, path))
      ? [`Still there: ${printable(ownFolder, 300)} (its sandbox_cwd, a folder of yours)`]
      : []),
    'Still there: its records in the audit log',
    ...(kept.some(({ usedBy }) => usedBy === undefined)
      ? [`To delete what it kept: quire mcp remove ${name} --purge`]
      : []),
  );
}

/** For a server that was removed before, and whose data is no longer wanted. */
function purgeAfterwards(call: McpCall, name: string): Promise<McpOutput> {
  return withPlane(call, async (plane) => {
    const names = plane.config.servers.map((one) => one.name);
    const places = await placesLeftBy(plane.config, name);
    const left = places.filter(({ usedBy }) => usedBy === undefined);
    if (left.length === 0) throw noSuchServer(name, names);
    const decider = await confirmedDeletion(call, plane, left);
    await plane.audit.record({ event: 'removed', server: name, isPurged: true, ...decider });
    await deletePlaces(left);
    const paths = left.map(({ path }) => path);
    return plainOutput(
      { removed: false, server: name, deleted: paths, kept: [] },
      ...paths.map((path) => `Deleted: ${path}`),
    );
  });
}

async function confirmedDeletion(call: McpCall, { config }: Plane, places: readonly LeftPlace[]) {
  await call.tell(['To be deleted:', ...places.map(({ path }) => `  ${path}`)].join('\n'));
  return confirmed(call, config, 'Delete these for good?');
}

function keptLine({ path, usedBy }: LeftPlace): string {
  return `Still there: ${path}${usedBy === undefined ? '' : ` (${usedBy} uses it)`}`;
}

/** A rule may name the server. */
function withoutIt({ message, hint = '', code, details }: McpFailure, name: string): McpFailure {
  return new McpFailure('config', {
    message: `Without ${name} the configuration would be wrong: ${message.replace(/^config: /, '')}`,
    hint: `${hint} Nothing was changed. Correct that first, then remove ${name}.`.trim(),
    code,
    details,
  });
}
