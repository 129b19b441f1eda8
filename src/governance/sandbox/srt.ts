/** A launch plan inside `@anthropic-ai/sandbox-runtime`, where somebody has installed it. */
import { dirname } from 'node:path';
import { type Launch, type LaunchPlan, minimalEnvironment, type SandboxProfile } from './plan.ts';

export interface SrtSettings {
  readonly network: { readonly allowedDomains: readonly string[]; readonly deniedDomains: readonly string[] };
  readonly filesystem: {
    readonly denyRead: readonly string[];
    readonly allowRead: readonly string[];
    readonly allowWrite: readonly string[];
    readonly denyWrite: readonly string[];
  };
}

/** It leaves everything readable unless told: so what people keep is closed, and what is needed opened again. */
const CLOSED = ['/home', '/root', '/Users', '/etc', '/var', '/srv', '/opt', '/mnt', '/media', '/tmp'];

/** `cli` is its program, whose helpers are started inside. */
export function srtSettings(cli: string, plan: LaunchPlan, profile: SandboxProfile): SrtSettings {
  return {
    network: { allowedDomains: [], deniedDomains: [] },
    filesystem: {
      denyRead: CLOSED,
      allowRead: [plan.cwd, plan.file, plan.path ?? plan.file, ...plan.read, dirname(dirname(cli))],
      allowWrite: profile === 'readonly' ? [] : [plan.cwd],
      denyWrite: [],
    },
  };
}

export function srtLaunch(cli: string, plan: LaunchPlan, settings: string): Launch {
  return {
    file: process.execPath,
    args: [cli, '--settings', settings, '--', plan.path ?? plan.file, ...plan.args],
    cwd: plan.cwd,
    env: minimalEnvironment(plan, { home: plan.cwd, temporary: plan.cwd }),
  };
}
