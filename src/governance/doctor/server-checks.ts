/** The checks that do not start the server: functions of the configuration and the last snapshot. */
import type { UpstreamServer } from '../../config/control-plane.ts';
import { type Environment, hasReference, resolveReferences } from '../../config/plane-file.ts';
import { type CheckResult, resultsFor } from '../../shared/checks.ts';
import type { PolicyReason } from '../../shared/errors.ts';
import type { Rejection } from '../../upstream/definition.ts';
import { hasSecret } from '../catalog/scan/shadowing.ts';
import { confinementLines } from '../confinement-view.ts';
import { isManifestRejection, V1_GAPS } from '../manifest.ts';
import type { Posture } from '../posture.ts';
import { changesOf } from '../report/report.ts';
import { baseName } from '../safety/inline-code.ts';
import { isShapeRejection } from '../safety/judge.ts';
import { isConsent } from '../score.ts';
import { exportLine, type Fixes, serverPlace } from './fixes.ts';

export function serverChecks(posture: Posture, environment: Environment, fixes: Fixes): CheckResult[] {
  const { server } = posture;
  return [
    safety(posture, fixes),
    sandbox(posture, fixes),
    manifest(posture, fixes),
    consent(server, fixes),
    envResolved(server, environment),
    secretLiteral(server, fixes),
    commandFound(posture, fixes),
    packagePinned(server, fixes),
    pins(posture, fixes),
    scan(posture, fixes),
  ];
}

const FILE_CODES: readonly PolicyReason[] = [
  'command_not_found',
  'command_resolves_to_shell',
  'command_world_writable',
];
const isAboutFile = ({ code }: Rejection) => FILE_CODES.includes(code);

function safety({ server, rejections }: Posture, fixes: Fixes): CheckResult {
  const { ok, fail } = resultsFor(server.name);
  if (server.trust === 'blocked')
    return fail(
      'safety',
      'its trust is blocked',
      fixes.edit('set trust, or take it out', serverPlace(server.name)),
    );
  const own = rejections.filter((one) => !isConsent(one) && !isManifestRejection(one) && !isAboutFile(one));
  const [first] = own;
  return first
    ? fail(
        'safety',
        `${own.map(({ code }) => code).join(', ')}: ${first.reason}`,
        fixes.edit(first.reason, serverPlace(server.name)),
      )
    : ok('safety', 'nothing keeps it from being used');
}

/** As the server is really started. */
function sandbox({ server, confinement, rejections }: Posture, fixes: Fixes): CheckResult {
  const { ok, skip, warn, fail } = resultsFor(server.name);
  if (server.transport !== 'stdio') return skip('sandbox', 'it is not started here');
  const problem = rejections.find(({ code }) => code.startsWith('sandbox_'));
  const edit = (what: string) => fixes.edit(what, serverPlace(server.name));
  if (problem) return fail('sandbox', problem.code, edit('set sandbox_profile and its paths'));
  if (!confinement) return skip('sandbox', 'no server is started on this system');
  const found = confinementLines(confinement).join('; ');
  const [warning] = confinement.warnings;
  return warning === undefined ? ok('sandbox', found) : warn('sandbox', `${warning} ${found}`, edit(warning));
}

function manifest({ server, manifest: state, rejections }: Posture, fixes: Fixes): CheckResult {
  const { ok, skip, warn, fail } = resultsFor(server.name);
  if (server.transport !== 'stdio') return skip('manifest', 'it is not started here');
  const again = fixes.mcp(`manifest ${server.name}`);
  const sign = fixes.mcp(`manifest ${server.name} --sign --write`);
  if (state === 'verified') return ok('manifest', 'signed by a known key');
  if (state === 'verified_v1') return warn('manifest', V1_GAPS, sign);
  if (state === 'unverified')
    return warn('manifest', 'the signature cannot be verified: mcp_manifest_keys is empty', again);
  return fail('manifest', rejections.find(isManifestRejection)?.reason ?? state, again);
}

function consent({ name, clientConsent }: UpstreamServer, fixes: Fixes): CheckResult {
  const { ok, fail } = resultsFor(name);
  return clientConsent === 'approved'
    ? ok('consent', 'you agreed to use it')
    : fail('consent', `client_consent is ${clientConsent}`, fixes.mcp(`consent give ${name}`));
}

/** Every setting that may refer to a variable. */
function secretsOf({ env, headers, oauth }: UpstreamServer): Readonly<Record<string, string>> {
  return {
    ...env,
    ...headers,
    ...(oauth?.clientSecret !== undefined && { client_secret: oauth.clientSecret }),
  };
}

function envResolved(server: UpstreamServer, environment: Environment): CheckResult {
  const { ok, fail } = resultsFor(server.name);
  const { missing } = resolveReferences(secretsOf(server), environment);
  return missing.length === 0
    ? ok('env.resolved', 'every variable it names is set')
    : fail('env.resolved', `not set: ${missing.join(', ')}`, exportLine(missing));
}

const SECRET_NAME = /key|token|secret|passw|auth|credential|cookie/i;

function secretLiteral(server: UpstreamServer, fixes: Fixes): CheckResult {
  const { ok, warn } = resultsFor(server.name);
  const found = Object.entries(secretsOf(server)).find(
    ([key, value]) => value !== '' && !hasReference(value) && (SECRET_NAME.test(key) || hasSecret(value)),
  );
  return found
    ? warn(
        'secret.literal',
        `${found[0]} stands in the file as it is`,
        fixes.edit(`write \${env:NAME} for the value of ${found[0]}`, found[0]),
      )
    : ok('secret.literal', 'no secret stands in the file');
}

function commandFound({ server, rejections }: Posture, fixes: Fixes): CheckResult {
  const { ok, skip, fail } = resultsFor(server.name);
  if (server.transport !== 'stdio') return skip('command.found', 'it is not started here');
  if (rejections.some(({ code }) => code === 'platform_unsupported'))
    return skip('command.found', 'no server is started on this system');
  const problem = rejections.find(isAboutFile);
  if (problem)
    return fail(
      'command.found',
      `${problem.code}: ${problem.reason}`,
      fixes.edit(problem.reason, serverPlace(server.name)),
    );
  return rejections.some(isShapeRejection)
    ? skip('command.found', 'it is no command that could be looked for')
    : ok('command.found', String(server.command));
}

const NODE_RUNNERS = ['npx', 'bunx', 'pnpx'];
const PYTHON_RUNNERS = ['uvx', 'pipx'];

function packagePinned({ name, transport, command, args }: UpstreamServer, fixes: Fixes): CheckResult {
  const { ok, skip, warn } = resultsFor(name);
  const runner = transport === 'stdio' && typeof command === 'string' ? baseName(command) : '';
  if (!NODE_RUNNERS.includes(runner) && !PYTHON_RUNNERS.includes(runner))
    return skip('package.pinned', 'it fetches no package');
  const words = Array.isArray(args) ? args.filter((word) => typeof word === 'string') : [];
  const wanted = words.find((word) => !word.startsWith('-') && word !== 'run') ?? '';
  const isPinned = NODE_RUNNERS.includes(runner)
    ? /.@v?\d[\w.+-]*$/.test(wanted)
    : /(?:==|@)\d[\w.+!-]*$/.test(wanted);
  return isPinned
    ? ok('package.pinned', wanted)
    : warn(
        'package.pinned',
        `${wanted || 'its package'} has no fixed version: what runs may change any day`,
        fixes.edit('write the version behind the name of the package', serverPlace(name)),
      );
}

function pins(posture: Posture, fixes: Fixes): CheckResult {
  const { server, seenAt, entries } = posture;
  const { ok, skip, warn, fail } = resultsFor(server.name);
  if (seenAt === undefined) return skip('pins', `never asked: ${fixes.mcp(`discover ${server.name}`)}`);
  const changes = changesOf(posture);
  const changed = changes.filter(({ change }) => change === 'changed');
  const look = fixes.mcp(`discover ${server.name} --full`);
  if (changed.length > 0)
    return fail(
      'pins',
      `not what was accepted any more: ${changed.map(({ name }) => name).join(', ')}`,
      look,
    );
  const waiting = entries.filter(({ state }) => state === 'pending').length;
  return waiting > 0
    ? warn('pins', `${waiting} definitions are not reviewed yet; look, then add --accept-clean`, look)
    : ok('pins', `${entries.length} definitions, as they were accepted`);
}

function scan({ server, seenAt, entries }: Posture, fixes: Fixes): CheckResult {
  const { ok, skip, warn, fail } = resultsFor(server.name);
  if (seenAt === undefined) return skip('scan', 'never asked what it offers');
  const look = fixes.mcp(`discover ${server.name} --full`);
  const quarantined = entries.filter(({ state }) => state === 'quarantined');
  const codes = [...new Set(entries.flatMap(({ findings }) => findings).map(({ code }) => code))].join(', ');
  if (quarantined.length > 0)
    return fail('scan', `${quarantined.map(({ definition }) => definition.name).join(', ')}: ${codes}`, look);
  return codes === '' ? ok('scan', 'nothing was found') : warn('scan', codes, look);
}
