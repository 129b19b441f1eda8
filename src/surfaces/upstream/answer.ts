/** What a server behind us answered, or why it could not, in the words of the protocol. */
import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import type { CallAnswer } from '../../governance/call.ts';
import type { Exposure } from '../../governance/exposure/visibility.ts';
import type { CallResult } from '../../mcp/tool.ts';
import { AppError, isAppError } from '../../shared/errors.ts';
import type { Caller } from '../../shared/principal.ts';
import { APPROVAL, effectOf } from './definition.ts';

const OURS = 'sb/';
const FINDINGS = 'sb/findings';

export function answerOf(answered: CallAnswer): CallResult {
  const { content, structuredContent, isError } = answered.result;
  return {
    // The blocks are the server's own, of every kind there is; the client that asked knows them.
    content: (Array.isArray(content) ? content : []) as CallResult['content'],
    structuredContent:
      structuredContent !== undefined ? (structuredContent as Record<string, unknown>) : undefined,
    isError: isError === true ? isError : undefined,
    ...metaOf(answered),
  };
}

/** What is said beside an answer: what the server says there, and what we found in it. */
export function metaOf({ result, findings }: CallAnswer): { _meta?: Record<string, unknown> } {
  const codes = [...new Set(findings.map(({ code }) => code))].sort();
  const meta = { ...foreign(result._meta), ...(codes.length > 0 && { [FINDINGS]: codes }) };
  return Object.keys(meta).length > 0 ? { _meta: meta } : {};
}

/** What only we may say is not taken from a server. */
function foreign(meta: unknown): Record<string, unknown> {
  if (typeof meta !== 'object' || meta === null) return {};
  return Object.fromEntries(Object.entries(meta).filter(([key]) => !key.startsWith(OURS)));
}

export function failureOf(error: AppError): CallResult {
  const text = isAppError(error, 'approval_required') ? approvalText(error) : plainText(error);
  return {
    content: [{ type: 'text', text }],
    isError: true,
    _meta: isAppError(error, 'approval_required') ? approvalMeta(error) : undefined,
  };
}

function plainText({ message, hint }: AppError): string {
  return hint === undefined ? `Error: ${message}` : `Error: ${message}\n${hint}`;
}

/** An assistant cannot approve: it is told who can, not how. */
function approvalText(error: AppError): string {
  const { approval } = error.details;
  if (approval === undefined) return plainText(error);
  return [
    `Error: ${error.message}`,
    `A person has to approve exactly this call first: ${approval}. Ask for it, then call again with the same arguments.`,
  ].join('\n');
}

function approvalMeta({ details: { approval } }: AppError): Record<string, unknown> {
  return { [APPROVAL]: 'required', ...(approval !== undefined && { [`${APPROVAL}-id`]: approval }) };
}

/** For whoever looks at numbers: a person has to approve it first. */
const APPROVAL_REQUIRED = -32010;
/** What a server says to the client and nobody in between can put better: wrong parameters, abilities it lacks. */
const PASSED_ON: readonly number[] = [
  ProtocolErrorCode.InvalidParams,
  ProtocolErrorCode.MissingRequiredClientCapability,
];

/** Of a call, what its client has to hear as an error of the protocol. */
export function protocolErrorIn(error: AppError): ProtocolError | undefined {
  const { cause } = error;
  return cause instanceof Error && 'code' in cause && cause.code === PASSED_ON[1]
    ? problemOf(error)
    : undefined;
}

/** Of a request that is not the call of a tool. */
export function problemOf(error: AppError): ProtocolError {
  if (error.code === 'approval_required')
    return new ProtocolError(APPROVAL_REQUIRED, approvalText(error), approvalMeta(error));
  const { rpc } = error.details;
  const isKept = typeof rpc === 'number' && PASSED_ON.includes(rpc);
  const data = isKept ? (error.cause as { data?: unknown } | undefined)?.data : undefined;
  return new ProtocolError(isKept ? rpc : codeOf(error), plainText(error).replace('Error: ', ''), data);
}

function codeOf(error: AppError): number {
  switch (error.code) {
    case 'invalid_input':
    case 'not_found':
    case 'forbidden':
      return ProtocolErrorCode.InvalidParams;
    default:
      return ProtocolErrorCode.InternalError;
  }
}

/** Who uses what other servers offer, and whether they may. */

/** Where there is one caller only. */
const ONLY_CALLER = 'stdio';

export function whoCalls({ principal }: Caller): string {
  return principal?.id ?? ONLY_CALLER;
}

/** The gate asks for scopes by what was last listed; what is used unseen is checked here. */
export function mayUse({ principal }: Caller): (exposure: Exposure) => void {
  return (exposure) => {
    if (!principal) return;
    const needed = effectOf(exposure) === 'read' ? 'notes:read' : 'notes:write';
    if (principal.scopes.includes(needed) || principal.scopes.includes('notes:write')) return;
    throw new AppError('forbidden', `This needs the scope ${needed}`, { subject: exposure.name });
  };
}
