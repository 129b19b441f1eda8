/**
 * Checks of the plane's sections beyond their schema: unique names, keys that fit the transport, and rules that can match
 * something. A rule that is accepted and then does nothing would give its author a false sense of safety.
 */
import type * as z from 'zod';
import { coversGlob, globsOverlap, matchesGlob } from '../shared/glob.ts';
import { nearest } from '../shared/nearest.ts';
import type { ControlPlaneSection, PolicyRule, UpstreamServer } from './control-plane-schema.ts';

interface PlaneSections {
  readonly control_plane?: Pick<ControlPlaneSection, 'policy' | 'servers' | 'sampling'>;
  readonly mcp_servers?: readonly UpstreamServer[];
}

type Path = readonly (string | number)[];
type ProblemReporter = (path: Path, problem: string) => void;

export function checkPlane(sections: PlaneSections, context: z.RefinementCtx): void {
  // Values that do not fit the schema are reported by it, and may be missing here.
  if (context.issues.length > 0) return;
  const { control_plane: plane, mcp_servers: top } = sections;
  const say: ProblemReporter = (path, message) =>
    context.addIssue({ code: 'custom', path: [...path], message });
  if (plane?.servers && top)
    say(['mcp_servers'], 'is given at the top and in control_plane; keep one of them');
  const servers = plane?.servers ?? top ?? [];
  const at = plane?.servers ? ['control_plane', 'mcp_servers'] : ['mcp_servers'];
  for (const [index, server] of servers.entries()) {
    const sayOfServer: ProblemReporter = (path, problem) => say([...at, index, ...path], problem);
    const first = servers.findIndex(({ name }) => name === server.name);
    if (first < index) sayOfServer(['name'], `"${server.name}" is the name of an earlier server too`);
    checkTransport(server, sayOfServer);
    checkWaiver(server, sayOfServer);
    checkNetwork(server, sayOfServer);
    checkLogin(server, sayOfServer);
    checkClasses(server, sayOfServer);
    checkExposed(server, plane?.sampling.enabled === true, sayOfServer);
  }
  for (const [index, rule] of (plane?.policy ?? []).entries())
    checkRule(rule, servers, (path, problem) =>
      say(['control_plane', 'mcp_policy', index, ...path], problem),
    );
}

const ONLY_FOR: Readonly<Record<UpstreamServer['transport'], readonly (keyof UpstreamServer)[]>> = {
  stdio: [
    'command',
    'args',
    'env',
    'stdioAllowedCommands',
    'manifestDigest',
    'manifestSignature',
    'sandboxProfile',
    'sandboxCwd',
    'sandboxRead',
    'sandboxWrite',
    'sandboxNetwork',
    'sandboxLimits',
    'sandboxWaiver',
  ],
  streamable_http: ['url', 'headers', 'allowPrivate', 'oauth'],
};

function checkTransport(server: UpstreamServer, say: ProblemReporter): void {
  const other = server.transport === 'stdio' ? 'streamable_http' : 'stdio';
  for (const key of ONLY_FOR[other].filter((name) => isSaid(server[name])))
    say([inSnakeCase(key)], `is for ${other} servers, and this one is ${server.transport}`);
}

function checkWaiver({ sandboxProfile, sandboxWaiver }: UpstreamServer, say: ProblemReporter): void {
  if (sandboxWaiver && sandboxProfile !== 'none')
    say(['sandbox_waiver'], 'does nothing without sandbox_profile: none');
}

/** A list that is accepted and then limits nothing would be believed. */
function checkNetwork({ sandboxProfile, sandboxNetwork = [] }: UpstreamServer, say: ProblemReporter): void {
  if (sandboxNetwork.length === 0) return;
  if (sandboxProfile === 'network')
    say(
      ['sandbox_network'],
      'limits nothing with sandbox_profile: network, which opens all of it; use restricted or readonly',
    );
  if (sandboxProfile === 'none')
    say(['sandbox_network'], 'limits nothing with sandbox_profile: none, which has no sandbox');
  for (const [index, place] of sandboxNetwork.entries())
    if (sandboxNetwork.indexOf(place) < index) say(['sandbox_network', index], 'is listed twice');
}

function checkLogin({ oauth, headers }: UpstreamServer, say: ProblemReporter): void {
  if (!oauth) return;
  if (Object.keys(headers).some((name) => name.toLowerCase() === 'authorization'))
    say(['oauth'], 'cannot be used together with an Authorization header: keep one of them');
  if (oauth.clientSecret !== undefined && oauth.clientId === undefined)
    say(['oauth', 'client_secret'], 'needs client_id');
  if (oauth.grant === 'client_credentials' && oauth.clientSecret === undefined)
    say(['oauth', 'grant'], 'needs client_id and client_secret');
}

function isSaid(value: unknown): boolean {
  if (typeof value === 'object' && value !== null) return Object.keys(value).length > 0;
  return value !== undefined && value !== false;
}

function inSnakeCase(key: string): string {
  return key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

function checkClasses({ actionClasses, allowTools }: UpstreamServer, say: ProblemReporter): void {
  for (const name of Object.keys(actionClasses))
    if (!allowTools.some((allowed) => matchesGlob(allowed, name)))
      say(['action_classes', name], 'can match nothing: allow_tools does not name it');
}

function checkExposed(server: UpstreamServer, hasSampling: boolean, say: ProblemReporter): void {
  const { expose, exposeAs, askClient, allow } = server;
  if (!expose && exposeAs === 'plain') say(['expose_as'], 'does nothing without expose: true');
  if (!expose && askClient.length > 0) say(['ask_client'], 'does nothing without expose: true');
  for (const [index, what] of askClient.entries())
    if (!allow[what]) say(['ask_client', index], `needs allow: { ${what}: true }`);
    else if (what === 'sampling' && !hasSampling)
      say(['ask_client', index], 'needs mcp_sampling: { enabled: true }');
}

function checkRule(rule: PolicyRule, servers: readonly UpstreamServer[], say: ProblemReporter): void {
  if (rule.effect === 'allow' && rule.classes?.every((name) => name === 'destructive'))
    say(['classes'], 'changes nothing: what is destructive is never allowed by a rule');
  for (const [index, glob] of (rule.servers ?? []).entries())
    if (glob !== '*' && !servers.some(({ name }) => matchesGlob(glob, name)))
      say(['servers', index], `can match nothing: no server is called "${glob}"${meant(glob, servers)}`);
  const concerned = serversOf(rule, servers);
  if (concerned.length === 0) return;
  for (const [index, glob] of (rule.capabilities ?? []).entries())
    if (!concerned.some(({ allowTools }) => allowTools.some((allowed) => globsOverlap(allowed, glob))))
      say(
        ['capabilities', index],
        `can match nothing: no allow_tools of these servers lets "${glob}" through`,
      );
}

function meant(glob: string, servers: readonly UpstreamServer[]): string {
  const suggestion = nearest(
    glob,
    servers.map(({ name }) => name),
  );
  return suggestion === undefined ? '' : ` (did you mean ${suggestion}?)`;
}

function serversOf(rule: PolicyRule, servers: readonly UpstreamServer[]): UpstreamServer[] {
  return servers.filter(({ name }) => (rule.servers ?? ['*']).some((glob) => matchesGlob(glob, name)));
}

/** Rules that change nothing because a wider deny covers them. Not an error: the next edit may need them again. */
export function shadowedRules(
  policy: readonly PolicyRule[],
  servers: readonly UpstreamServer[],
): { readonly rule: number; readonly by: number }[] {
  return policy.flatMap((rule, index) => {
    const by = policy.findIndex(
      (wider, other) =>
        other !== index &&
        wider.effect === 'deny' &&
        covers(wider, rule, servers) &&
        (other < index || !covers(rule, wider, servers)),
    );
    return by < 0 ? [] : [{ rule: index, by }];
  });
}

function covers(wider: PolicyRule, rule: PolicyRule, servers: readonly UpstreamServer[]): boolean {
  const reached = new Set(serversOf(wider, servers));
  const globs = wider.capabilities ?? ['*'];
  return (
    serversOf(rule, servers).every((server) => reached.has(server)) &&
    (rule.capabilities ?? ['*']).every((narrow) => globs.some((glob) => coversGlob(glob, narrow))) &&
    (wider.classes === undefined || (rule.classes?.every((name) => wider.classes?.includes(name)) ?? false))
  );
}
