/**
 * A call that needs an approval offers the person at the client a link to the page where it is given. When they have
 * approved it there, the call is made again by itself. The answer to the question approves nothing.
 */
import type { Approvals } from '../../governance/approvals/approvals.ts';
import type { ClientRequest, Questions } from '../../mcp/request.ts';
import { type AppError, isAppError } from '../../shared/errors.ts';

const QUESTION = 'quire/approval';
/** Together less than the minute after which many clients give up a call. */
const ANSWER_MS = 30_000;
const APPROVAL_MS = 20_000;
const LOOK_MS = 300;

export async function withApprovalLink<Answer>(
  request: ClientRequest,
  approvals: Pick<Approvals, 'get'>,
  call: (request: ClientRequest) => Promise<Answer>,
): Promise<Answer | Questions> {
  const { round, client, signal } = request;
  const reply = round?.responses?.[QUESTION];
  if (reply !== undefined) {
    if (isFollowed(reply)) await answered(approvals, round?.state ?? '', signal);
    return call({ ...request, round: undefined });
  }
  try {
    return await call(request);
  } catch (error) {
    const question = round ? undefined : questionAbout(error);
    if (!question || !client?.can?.url) throw error;
    const { approval, params } = question;
    if (client.isAskedByAnswer)
      return {
        resultType: 'input_required',
        inputRequests: { [QUESTION]: { method: 'elicitation/create', params } },
        requestState: approval,
      };
    const patience = AbortSignal.any([signal, AbortSignal.timeout(ANSWER_MS)]);
    const followed = await client.elicit?.(params, patience).catch(() => undefined);
    if (!isFollowed(followed)) throw error;
    await answered(approvals, approval, signal);
    return call(request);
  }
}

function questionAbout(error: unknown) {
  if (!isAppError(error, 'approval_required')) return undefined;
  const { approval, approvalPage: url } = error.details;
  if (typeof approval !== 'string' || typeof url !== 'string') return undefined;
  const message = `${titleOf(error)} Look at its arguments and decide on the page.`;
  return { approval, params: { mode: 'url' as const, message, url, elicitationId: approval } };
}

function titleOf({ title, subject }: AppError): string {
  return `${title}: ${subject ?? ''}.`;
}

function isFollowed(reply: unknown): boolean {
  return (reply as { action?: unknown } | undefined)?.action === 'accept';
}

/** Resolves when the approval is no longer pending, or after a while. */
async function answered(approvals: Pick<Approvals, 'get'>, id: string, signal: AbortSignal): Promise<void> {
  const until = Date.now() + APPROVAL_MS;
  while (Date.now() < until && !signal.aborted) {
    // What the client gives back may be anything; an unknown id is not waited for.
    const state = await approvals.get(id).then(
      (approval) => approval.state,
      () => undefined,
    );
    if (state !== 'pending') return;
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
}
