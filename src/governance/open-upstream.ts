/** Creates the client of a configured server that passed every check. Nothing is started yet. */
import { join } from 'node:path';
import type { AuthProvider, Implementation } from '@modelcontextprotocol/client';
import type { ControlPlane, UpstreamServer } from '../config/control-plane.ts';
import { type Environment, resolveReferences } from '../config/plane-file.ts';
import { openSharedSemaphore } from '../shared/async/semaphore.ts';
import { AppError } from '../shared/errors.ts';
import { openSharedWindow } from '../state/shared-window.ts';
import { failure } from '../upstream/failure.ts';
import type { Operator, SampleProvider, SamplingApprover } from '../upstream/nested/operator.ts';
import type { NestedServices } from '../upstream/nested/request.ts';
import type { CallOptions } from '../upstream/nested/rounds.ts';
import type { SharedSlots } from '../upstream/request-queue.ts';
import type { Backends } from '../upstream/sandbox/detect.ts';
import type { Target } from '../upstream/target.ts';
import { Upstream } from '../upstream/upstream.ts';
import { variablesMissing } from './refusals.ts';
import type { Verdict } from './safety/judge.ts';
import { planLaunch } from './safety/launch.ts';

const HOUR_MS = 3_600_000;

interface UpstreamParts {
  readonly config: ControlPlane;
  readonly environment: Environment;
  readonly backends: Backends;
  readonly operator: Operator;
  readonly sample?: SampleProvider;
  readonly approveSample?: SamplingApprover;
  readonly note?: NestedServices['note'];
  /** Tokens of an earlier login. */
  readonly tokens?: (server: UpstreamServer) => AuthProvider;
  readonly client: Implementation;
}

export function openUpstream(
  server: UpstreamServer,
  verdict: Pick<Verdict, 'found' | 'confinement'>,
  parts: UpstreamParts,
): Upstream {
  const { limits } = parts.config;
  return new Upstream({
    name: server.name,
    client: parts.client,
    limits,
    nested: nestedFor(server, parts),
    target: server.transport === 'stdio' ? stdioTarget(server, verdict, parts) : httpTarget(server, parts),
    // A stdio server is our own child process, so no other process calls it.
    share: server.transport !== 'stdio' ? sharedSlots(server, parts.config) : undefined,
  });
}

function sharedSlots({ name }: UpstreamServer, { stateDir, limits }: ControlPlane): SharedSlots {
  const semaphore = openSharedSemaphore(join(stateDir, 'slots'), name, limits.maxConcurrent);
  const busy = () =>
    failure('busy', {
      server: name,
      hint: `${limits.maxConcurrent} requests are under way, from all processes (max_concurrent). Try again.`,
    });
  const inSlot = <T>(
    task: () => Promise<T>,
    { signal, timeoutMs = limits.requestTimeoutMs }: CallOptions,
  ): Promise<T> => semaphore(task, { waitMs: timeoutMs, signal, busy });
  return Object.assign(inSlot, { lend: semaphore.lend });
}

function stdioTarget(
  server: UpstreamServer,
  { found, confinement }: Pick<Verdict, 'found' | 'confinement'>,
  { config, environment, backends }: UpstreamParts,
): Target {
  if (!found || !confinement) throw new AppError('internal', 'a server without a command passed the checks');
  return {
    transport: 'stdio',
    plan: planLaunch(server, found, environment),
    reviewed: found.reviewed,
    confinement,
    backends,
    workRoot: join(config.stateDir, 'work'),
    logFile: join(config.stateDir, `${server.name}.log`),
  };
}

function httpTarget(server: UpstreamServer, { environment, tokens }: UpstreamParts): Target {
  const { values: headers, missing } = resolveReferences(server.headers, environment);
  if (missing.length > 0) throw variablesMissing(server.name, missing, 'headers');
  const hasOwn = Object.keys(headers).some((name) => name.toLowerCase() === 'authorization');
  return {
    transport: 'streamable_http',
    url: server.url ?? '',
    headers,
    allowPrivate: server.allowPrivate,
    tokens: tokens && !hasOwn ? tokens(server) : undefined,
  };
}

/** The nested requests that are configured, can be served, and are allowed to this server. */
function nestedFor(server: UpstreamServer, parts: UpstreamParts): NestedServices {
  const { config, operator, sample, approveSample, note } = parts;
  const { sampling, elicitation, allowedFileRoots } = config;
  return {
    operator,
    note,
    waitMs: elicitation.waitS * 1000,
    prompts: openSharedWindow(join(config.stateDir, 'prompts', `${server.name}.json`), HOUR_MS),
    roots: server.allow.roots ? allowedFileRoots : undefined,
    elicitation: server.allow.elicitation ? { form: elicitation.form, url: elicitation.url } : undefined,
    client: server.askClient.length > 0 ? askedOfClients(server, config) : undefined,
    sampling:
      server.allow.sampling && sampling.enabled && sample
        ? {
            provider: sample,
            maxTokens: sampling.maxTokens,
            perHour: sampling.perHour,
            approved: approveSample,
          }
        : undefined,
  };
}

function askedOfClients({ askClient, allow }: UpstreamServer, { sampling }: ControlPlane) {
  const isAsked = (what: keyof typeof allow) => allow[what] && askClient.includes(what);
  const { maxTokens, perHour } = sampling;
  return {
    elicitation: isAsked('elicitation'),
    roots: isAsked('roots'),
    sampling: isAsked('sampling') && sampling.enabled ? { maxTokens, perHour } : undefined,
  };
}
