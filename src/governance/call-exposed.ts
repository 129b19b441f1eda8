/** A call by the name a tool is exposed under. What is hidden is as if it were not there, and the audit log knows better. */
import { randomUUID } from 'node:crypto';
import type { UpstreamServer } from '../config/control-plane.ts';
import { isAppError } from '../shared/errors.ts';
import { argumentsOf } from './audit/audit.ts';
import { type Answered, callCapability } from './call.ts';
import type { CallOptions } from './connect/upstream.ts';
import type { Exposed } from './exposed.ts';
import type { Exposure } from './exposure.ts';
import type { Plane } from './plane.ts';
import { classify } from './policy/classify.ts';

export interface ExposedCall extends CallOptions {
  /** `server__tool`. */
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly by: string;
}

export interface ExposedName {
  readonly server: UpstreamServer;
  readonly tool: string;
}

/** Refusals that speak of the call and not of the tool: whoever may see the tool may hear them. */
const ABOUT_THE_CALL = new Set(['invalid_arguments', 'rate_limited', 'approval_denied']);

/** Undefined for a name that is of no configured server. */
export function partsOf({ config }: Plane, name: string): ExposedName | undefined {
  const at = name.indexOf('__');
  const server = config.servers.find((one) => at > 0 && one.name === name.slice(0, at));
  return server && { server, tool: name.slice(at + 2) };
}

/** Undefined when no such tool is offered. `mayUse` throws for a caller who may not. */
export async function callExposed(
  plane: Plane,
  exposed: Exposed,
  { name, args, by, ...options }: ExposedCall,
  mayUse: (exposure: Exposure) => void,
): Promise<Answered | undefined> {
  const parts = partsOf(plane, name);
  if (!parts) return undefined;
  const found = (await exposed.look()).find((one) => one.name === name);
  const refuse = async (code: string, rule: string) => {
    await recordRefusal(plane, parts, { args, by, code, rule });
    return undefined;
  };
  if (!found?.isVisible) return refuse('not_exposed', found?.reason ?? 'catalog');
  mayUse(found);
  try {
    const request = { server: parts.server.name, kind: 'tool', name: parts.tool, args, by } as const;
    return await callCapability(plane, { ...request, ...options });
  } catch (error) {
    if (!isAppError(error) || typeof error.details.code !== 'string') throw error;
    const { code } = error.details;
    const isHidden = isAppError(error, 'not_found') || isAppError(error, 'forbidden');
    if (!isHidden || ABOUT_THE_CALL.has(code)) throw error;
    exposed.stale();
    return undefined;
  }
}

interface Refusal extends Pick<ExposedCall, 'args' | 'by'> {
  readonly code: string;
  readonly rule: string;
}

async function recordRefusal(
  plane: Plane,
  { server, tool }: ExposedName,
  { args, by, code, rule }: Refusal,
): Promise<void> {
  const kind = 'tool';
  const call = { call: randomUUID(), server: server.name, capability: tool, kind } as const;
  const actionClass = classify({ kind, name: tool }, server);
  await plane.audit.record(
    { event: 'proposed', ...call, by, class: actionClass, ...argumentsOf(args) },
    { event: 'decided', ...call, outcome: 'deny', code, rule },
  );
}
