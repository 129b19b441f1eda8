/** Completion of an argument: what somebody types goes to the server, so it is judged and written down like a call. */
import { randomUUID } from 'node:crypto';
import { argumentsOf, runAudited } from './audit/audit.ts';
import { scanResult } from './catalog/scan/result.ts';
import { judgedCapability } from './judge-call.ts';
import type { Plane } from './plane.ts';
import { classify } from './policy/classify.ts';
import { completionsOf } from './rate.ts';
import { denied } from './refusals.ts';

export interface CompleteRequest {
  readonly server: string;
  readonly kind: 'prompt' | 'template';
  /** Of the prompt, or the template itself. */
  readonly name: string;
  readonly argument: string;
  readonly value: string;
  readonly known: Readonly<Record<string, string>>;
  readonly by: string;
  readonly signal: AbortSignal;
}

export interface Completed {
  readonly values: readonly string[];
  readonly total?: number;
  readonly hasMore?: boolean;
}

/** Throws `forbidden` for what may not be used, or not without an approval: nobody approves while somebody types. */
export async function completeCapability(plane: Plane, request: CompleteRequest): Promise<Completed> {
  const { kind, name, argument, value, known, by, signal } = request;
  const judged = await judgedCapability(plane, request);
  const { server, entry } = judged;
  const call = { call: randomUUID(), server: server.name, capability: name, kind };
  const args = argumentsOf({ argument, value, known });
  const proposed = {
    event: 'proposed',
    ...call,
    by,
    class: classify(entry?.definition ?? { kind, name }, server),
    ...args,
  } as const;
  plane.audit.catchUp();
  const limit = plane.rates.problem(completionsOf(server.name));
  const isFree = judged.decision.outcome === 'allow' && limit === undefined;
  if (!isFree) {
    const { code, rule } = judged.decision;
    const made = limit === undefined ? { code, rule } : { code: 'rate_limited', rule: 'limits' };
    await plane.audit.record(proposed, {
      event: 'decided',
      ...call,
      outcome: 'deny',
      completes: true,
      ...made,
    });
    throw denied(request, { ...judged.decision, ...made, outcome: 'deny' });
  }
  const { outcome, code, rule } = judged.decision;
  const ref =
    kind === 'prompt' ? { type: 'ref/prompt' as const, name } : { type: 'ref/resource' as const, uri: name };
  const { result } = await runAudited(plane.audit, {
    ...call,
    before: [proposed, { event: 'decided', ...call, outcome, code, rule, completes: true }],
    run: async () => {
      const upstream = await plane.upstream(server);
      const context = Object.keys(known).length > 0 ? { context: { arguments: { ...known } } } : {};
      const params = { ref, argument: { name: argument, value }, ...context };
      return scanResult(await upstream.complete(params, { signal }));
    },
    outcomeOf: () => 'ok',
    findingsOf: ({ findings }) => findings.map(({ code: found }) => found),
    outcomeOfError: () => 'transport',
    log: plane.log,
  });
  const { values, total, hasMore } = result.completion;
  return {
    values,
    ...(total !== undefined && { total }),
    ...(hasMore !== undefined && { hasMore }),
  };
}
