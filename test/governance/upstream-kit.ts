/** Servers behind us for tests: really started, gone when the test ends. */
import { readFile } from 'node:fs/promises';
import { onTestFinished } from 'vitest';
import type { FormAnswer, Operator } from '../../src/upstream/nested/operator.ts';
import type { NestedServices } from '../../src/upstream/nested/request.ts';
import type { StdioTarget } from '../../src/upstream/target.ts';
import { Upstream, type UpstreamOptions } from '../../src/upstream/upstream.ts';
import { temporaryFolder } from '../kit/temp.ts';
import { backends, confinementOf, testServer } from './sandbox-kit.ts';

export const LIMITS: UpstreamOptions['limits'] = {
  requestTimeoutMs: 20_000,
  connectTimeoutMs: 20_000,
  maxResultBytes: 1_048_576,
  maxConcurrent: 4,
};

export const ABSENT_OPERATOR: Operator = {
  isInteractive: false,
  askForm: () => Promise.reject(new Error('asked')),
  confirmSecrets: () => Promise.reject(new Error('asked')),
  askUrl: () => Promise.reject(new Error('asked')),
  askSampling: () => Promise.reject(new Error('asked')),
};

/** Says yes to everything, unless overridden. */
export function operatorWho(overrides: Partial<Operator> = {}): Operator {
  return {
    isInteractive: true,
    askForm: async (): Promise<FormAnswer> => ({ action: 'accept', content: {} }),
    confirmSecrets: async () => true,
    askUrl: async () => 'accept',
    askSampling: async () => true,
    ...overrides,
  };
}

export function nestedFor(operator: Operator, services: Partial<NestedServices> = {}): NestedServices {
  return { operator, waitMs: 20_000, ...services };
}

export function upstreamOf(options: Partial<UpstreamOptions> & Pick<UpstreamOptions, 'target'>): Upstream {
  const upstream = new Upstream({
    name: 'odd',
    client: { name: 'quire-test', version: '1' },
    limits: LIMITS,
    nested: nestedFor(ABSENT_OPERATOR),
    ...options,
  });
  onTestFinished(() => upstream.close());
  return upstream;
}

export async function processTarget(
  args: readonly string[],
  parts: Partial<StdioTarget> = {},
): Promise<StdioTarget> {
  return {
    transport: 'stdio',
    plan: { file: process.execPath, args, env: {} },
    confinement: confinementOf('process'),
    backends,
    workRoot: await temporaryFolder(),
    stopTimes: { politeMs: 500, termMs: 500 },
    ...parts,
  };
}

/** The scripted server, without a sandbox, misbehaving as `modes` say. */
export async function odd(
  modes: readonly string[] = [],
  options: Partial<UpstreamOptions> = {},
): Promise<Upstream> {
  return upstreamOf({ target: await processTarget([testServer('odd.mjs'), ...modes]), ...options });
}

/** The parsed answer of a call to the scripted server. */
export async function said(result: Promise<{ content: unknown[] }>): Promise<unknown> {
  const [first] = (await result).content as { text: string }[];
  return JSON.parse(first?.text ?? 'null');
}

/** A zombie process counts as gone. */
export async function isRunning(pid: number): Promise<boolean> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined);
  return stat !== undefined && !/\) Z /.test(stat);
}

/** Waits for something that must come, for ten seconds at most. */
export async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  for (let at = 0; at < 2_500; at++) {
    if (await isSo()) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error('It never came');
}
