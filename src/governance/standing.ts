/** How a configured server stands: its score from its settings, what it offers and how its calls went. */
import type { UpstreamServer } from '../config/control-plane.ts';
import { type ManifestState, manifestState } from './manifest/verify.ts';
import type { Plane } from './plane.ts';
import { chooseBackend, isRejection } from './sandbox/choose.ts';
import type { Backends } from './sandbox/detect.ts';
import type { SandboxProfile } from './sandbox/plan.ts';
import { type Score, type ScoreFacts, score } from './score.ts';
import type { CatalogEntry, Rejection } from './types.ts';
import { NO_USAGE, type Usage } from './usage.ts';

export interface Known {
  /** Why it may not be started or reached; empty for a server that may. */
  readonly rejections: readonly Rejection[];
  readonly entries: readonly CatalogEntry[];
  readonly usage?: Usage | undefined;
}

export interface Standing {
  readonly manifest: ManifestState;
  readonly sandbox: ScoreFacts['sandbox'];
  readonly score: Score;
}

export async function standingOf(plane: Plane, server: UpstreamServer, known: Known): Promise<Standing> {
  const manifest = manifestState(server, plane.config.manifestKeys);
  const sandbox = sandboxOf(server, plane, await plane.backends());
  return { manifest, sandbox, score: score(factsOf(server, known, { manifest, sandbox })) };
}

export function isConsent({ code }: Rejection): boolean {
  return code === 'consent_required' || code === 'consent_denied';
}

function sandboxOf(
  { transport, sandboxProfile }: UpstreamServer,
  { config }: Plane,
  backends: Backends,
): ScoreFacts['sandbox'] {
  if (transport !== 'stdio' || sandboxProfile === undefined) return 'none';
  const choice = chooseBackend(config.sandbox, backends, sandboxProfile as SandboxProfile);
  if (isRejection(choice)) return 'none';
  return choice.backend === 'process' ? 'process' : 'enforced';
}

function factsOf(
  server: UpstreamServer,
  { rejections, entries, usage = NO_USAGE }: Known,
  { manifest, sandbox }: Pick<Standing, 'manifest' | 'sandbox'>,
): ScoreFacts {
  const findings = entries.flatMap((entry) => entry.findings);
  const hard = findings.filter(({ severity }) => severity === 'hard').length;
  return {
    transport: server.transport,
    trust: server.trust,
    consent: server.clientConsent,
    manifest: manifest === 'verified' || manifest === 'unverified' ? manifest : 'absent',
    sandbox,
    isProtected: !rejections.some(({ code }) => code.startsWith('url_')),
    isBlocked: rejections.some((one) => !isConsent(one)),
    definitions: entries.map(({ state }) => state),
    usage,
    hardFindings: hard,
    softFindings: findings.length - hard,
  };
}
