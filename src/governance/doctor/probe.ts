/** What only a server itself can tell: it is started or reached, asked once, and let go. */
import type { UpstreamServer } from '../../config/control-plane.ts';
import { isAppError } from '../../shared/errors.ts';
import { printable } from '../../shared/printable.ts';
import type { Plane } from '../plane.ts';
import { type Check, checksOf } from './check.ts';
import { remoteClock } from './clock.ts';
import { type Fixes, serverPlace } from './fix.ts';

const PROBES = ['handshake', 'version', 'list_tools', 'roundtrip'] as const;
const KNOWN_VERSIONS = ['2025-11-25', '2026-07-28'];
const MAX_DETAIL = 300;

/** For servers that are not asked. */
export function notProbed({ name, transport }: UpstreamServer, why: string): Check[] {
  const { skip } = checksOf(name);
  return [...(transport === 'streamable_http' ? ['http.reach/tls'] : []), ...PROBES].map((check) =>
    skip(check, why),
  );
}

export async function probe(
  plane: Plane,
  server: UpstreamServer,
  { fixes, signal }: { readonly fixes: Fixes; readonly signal: AbortSignal },
): Promise<Check[]> {
  const { ok, skip, warn, fail } = checksOf(server.name);
  const isHttp = server.transport === 'streamable_http';
  const again = fixes.mcp(`discover ${server.name}`);
  const checks: Check[] = [];
  try {
    const upstream = await plane.upstream(server);
    const { protocolVersion = 'none', server: told } = await upstream.connect(signal);
    if (isHttp) checks.push(ok('http.reach/tls', `reached ${new URL(server.url ?? '').host}`));
    checks.push(ok('handshake', printable(`${told?.name ?? 'it'} ${told?.version ?? ''}`, 100)));
    checks.push(
      KNOWN_VERSIONS.includes(protocolVersion)
        ? ok('version', protocolVersion)
        : warn(
            'version',
            `${protocolVersion}, and not ${KNOWN_VERSIONS[0]}`,
            fixes.edit('use a newer version of it', serverPlace(server.name)),
          ),
    );
    const { entries } = await plane.discover(server, { signal });
    const tools = entries.filter(({ definition }) => definition.kind === 'tool').length;
    checks.push(ok('list_tools', `${tools} tools`));
    const clock = isHttp ? await remoteClock(plane, server, signal) : undefined;
    if (clock) checks.push(clock);
    checks.push(ok('roundtrip', `${Math.round(await upstream.ping({ signal }))} ms`));
  } catch (error) {
    signal.throwIfAborted();
    const done = checks.map(({ check }) => check);
    const all = [...(isHttp ? ['http.reach/tls'] : []), ...PROBES];
    const [failed = 'handshake', ...rest] = all.filter((name) => !done.includes(name));
    checks.push(fail(failed, reasonOf(error), again), ...rest.map((name) => skip(name, `${failed} failed`)));
  }
  return checks;
}

function reasonOf(error: unknown): string {
  const text = isAppError(error) ? `${error.message} ${error.hint ?? ''}` : String(error);
  return printable(text, MAX_DETAIL);
}
