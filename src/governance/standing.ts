/** How a configured server stands: its score from its settings, what it offers and how its calls went. */
import type { UpstreamServer } from '../config/control-plane.ts';
import { manifestState } from './manifest/verify.ts';
import type { Plane } from './plane.ts';
import { chooseBackend, isRejection } from './sandbox/choose.ts';
import type { Backends } from './sandbox/detect.ts';
import type { SandboxProfile } from './sandbox/plan.ts';
import { type Score, type ScoreFacts, score } from './score.ts';
import type { CatalogEntry } from './types.ts';
import { NO_USAGE, type Usage } from './usage.ts';

export interface Standing {
  readonly entries: readonly CatalogEntry[];
  readonly isBlocked: boolean;
  readonly usage: Usage | undefined;
}

export async function standingOf(plane: Plane, server: UpstreamServer, standing: Standing): Promise<Score> {
  const { entries, isBlocked, usage = NO_USAGE } = standing;
  const severities = entries.flatMap(({ findings }) => findings.map(({ severity }) => severity));
  const isHttp = server.transport === 'streamable_http';
  return score({
    transport: server.transport,
    trust: server.trust,
    consent: server.clientConsent,
    manifest: isHttp ? 'absent' : manifestOf(server, plane),
    sandbox: isHttp ? 'none' : sandboxOf(server, plane, await plane.backends()),
    // Http that leaves this machine is refused before it could count.
    isProtected: isHttp && !isBlocked,
    isBlocked,
    definitions: entries.map(({ state }) => state),
    usage,
    hardFindings: severities.filter((severity) => severity === 'hard').length,
    softFindings: severities.filter((severity) => severity === 'soft').length,
  });
}

function manifestOf(server: UpstreamServer, { config }: Plane): ScoreFacts['manifest'] {
  const state = manifestState(server, config.manifestKeys);
  return state === 'verified' || state === 'unverified' ? state : 'absent';
}

function sandboxOf(server: UpstreamServer, { config }: Plane, backends: Backends): ScoreFacts['sandbox'] {
  const choice = chooseBackend(config.sandbox, backends, server.sandboxProfile as SandboxProfile);
  if (isRejection(choice)) return 'none';
  return choice.backend === 'process' ? 'process' : 'enforced';
}
