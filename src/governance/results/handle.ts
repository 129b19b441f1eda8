/** What happens to a result in which the scan found something: `results.on_finding` of its server. */
import type { UpstreamServer } from '../../config/control-plane.ts';
import { AppError } from '../../shared/errors.ts';
import { sha256 } from '../digest.ts';
import type { ScanFinding } from '../types.ts';

export type ResultHandling = UpstreamServer['results']['onFinding'];

/** Secrets are data: they are reported, and the text stays as it is. */
const REPORTED_ONLY = new Set(['secret.embedded']);
/** The rest of a result that was cut was not scanned, and may hold anything. */
const UNREAD = 'result.cut';

/** Any finding fences a result; only one that may be an attack, or an unread rest, keeps it from the caller. */
export function handlingOf(
  { results: { onFinding } }: Pick<UpstreamServer, 'results'>,
  findings: readonly ScanFinding[],
): ResultHandling {
  const counted = findings.filter(({ code }) => !REPORTED_ONLY.has(code));
  if (onFinding === 'pass' || counted.length === 0) return 'pass';
  const isGrave = counted.some(({ severity, code }) => severity === 'hard' || code === UNREAD);
  return isGrave ? onFinding : 'fence';
}

/** Names the findings by their codes only: what was found is not for the model. */
export function blockedResult(
  { server, name }: { readonly server: string; readonly name: string },
  findings: readonly ScanFinding[],
): AppError {
  return new AppError('forbidden', 'The result was blocked', {
    subject: `${server} ${name.slice(0, 200)}: ${codesOf(findings)}`,
    hint: 'The call was made; its answer holds text that might mislead a model. results.on_finding of the server says block; fence passes such an answer on as untrusted data, ask lets a person look first.',
    reason: 'findings',
  });
}

export function heldResult(
  { server, name }: { readonly server: string; readonly name: string },
  findings: readonly ScanFinding[],
  { id, page }: { readonly id: string; readonly page: string | undefined },
): AppError {
  return new AppError('approval_required', 'The result of this call needs an approval', {
    subject: `${server} ${name.slice(0, 200)}: ${id}: ${codesOf(findings)}`,
    hint: `The call was made; its answer is kept until a person has looked at it: quire mcp approvals show ${id}, then quire mcp approvals approve ${id}. The same call then returns it, without being made again.`,
    reason: 'approval_required',
    details: { approval: id, ...(page !== undefined && { approvalPage: page }) },
  });
}

function codesOf(findings: readonly ScanFinding[]): string {
  return [...new Set(findings.map(({ code }) => code))].sort().join(', ');
}

const MAX_SHOWN = 100_000;

/** What a person approves: the answer itself, by its hash, with the findings in it. */
export function releaseArguments(
  args: unknown,
  result: Readonly<Record<string, unknown>>,
  findings: readonly ScanFinding[],
): Record<string, unknown> {
  const text = JSON.stringify(result);
  const shown = findings.map(({ severity, code, where, excerpt }) =>
    `${severity} ${code} in ${where}: ${excerpt}`.toWellFormed(),
  );
  return {
    findings: shown,
    result: text.slice(0, MAX_SHOWN).toWellFormed(),
    sha256: sha256(text),
    call: args,
  };
}
