/** Renders results and errors of upstream servers as MCP results. */
import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import type { CallAnswer } from '../../governance/call.ts';
import { bareWarning } from '../../governance/confinement-view.ts';
import type { Exposure } from '../../governance/exposure/visibility.ts';
import { plainResult } from '../../mcp/errors.ts';
import type { CallResult } from '../../mcp/tool.ts';
import { AppError, isAppError } from '../../shared/errors.ts';
import { type Caller, covers } from '../../shared/principal.ts';
import { recordOf } from '../../shared/records.ts';
import { APPROVAL, effectOf } from './definition.ts';

const OURS = 'sb/';
const FINDINGS = 'sb/findings';
const SANDBOX = 'sb/sandbox';

export function answerOf(answered: CallAnswer): CallResult {
  const { content, structuredContent, isError } = answered.result;
  return {
    // Content blocks are passed through unchanged, including kinds that Quire does not know.
    content: (Array.isArray(content) ? content : []) as CallResult['content'],
    structuredContent: structuredContent as CallResult['structuredContent'],
    isError: isError === true ? isError : undefined,
    ...metaOf(answered),
  };
}

/** The result's `_meta`: the server's own entries, the codes of our scan findings, and the word that there was no sandbox. */
export function metaOf({ result, findings, confinement }: CallAnswer): { _meta?: Record<string, unknown> } {
  const codes = [...new Set(findings.map(({ code }) => code))].sort();
  const warning = bareWarning(confinement);
  const meta = {
    ...foreign(result._meta),
    ...(codes.length > 0 && { [FINDINGS]: codes }),
    ...(warning !== undefined && { [SANDBOX]: warning }),
  };
  return Object.keys(meta).length > 0 ? { _meta: meta } : {};
}

/** Drops entries under our own prefix, which a server must not set. */
function foreign(meta: unknown): Record<string, unknown> {
  return Object.fromEntries(Object.entries(recordOf(meta)).filter(([key]) => !key.startsWith(OURS)));
}

export function failureOf(error: AppError): CallResult {
  const result = plainResult({ message: error.message, hint: hintOf(error) });
  return isAppError(error, 'approval_required') ? { ...result, _meta: approvalMeta(error) } : result;
}

/**
 * The assistant learns that a person must approve, and on which page, but no command: it must not approve its own calls.
 * The page is for people who are signed in.
 */
function hintOf({ code, hint, details: { approval, approvalPage } }: AppError): string | undefined {
  if (code !== 'approval_required' || approval === undefined) return hint;
  const where = approvalPage === undefined ? '' : ` The page on which a person approves it: ${approvalPage}`;
  return `A person has to approve exactly this call first: ${approval}. Ask for it, then call again with the same arguments.${where}`;
}

function approvalMeta({ details: { approval, approvalPage } }: AppError): Record<string, unknown> {
  return {
    [APPROVAL]: 'required',
    ...(approval !== undefined && { [`${APPROVAL}-id`]: approval }),
    ...(approvalPage !== undefined && { [`${APPROVAL}-url`]: approvalPage }),
  };
}

/** Error code of a call that needs an approval. */
const APPROVAL_REQUIRED = -32010;
/**
 * JSON-RPC errors passed through unchanged, because the server words them best: invalid parameters, missing client
 * capabilities.
 */
const PASSED_ON: readonly number[] = [
  ProtocolErrorCode.InvalidParams,
  ProtocolErrorCode.MissingRequiredClientCapability,
];

/** The protocol error to be raised for a tool call; undefined when the error is an ordinary result. */
export function protocolErrorIn(error: AppError): ProtocolError | undefined {
  const { cause } = error;
  return cause instanceof Error && 'code' in cause && cause.code === PASSED_ON[1]
    ? problemOf(error)
    : undefined;
}

/** The protocol error for requests other than tool calls. */
export function problemOf(error: AppError): ProtocolError {
  const hint = hintOf(error);
  const text = hint === undefined ? error.message : `${error.message}\n${hint}`;
  if (error.code === 'approval_required')
    return new ProtocolError(APPROVAL_REQUIRED, `Error: ${text}`, approvalMeta(error));
  const { rpc } = error.details;
  const isKept = typeof rpc === 'number' && PASSED_ON.includes(rpc);
  const data = isKept ? (error.cause as { data?: unknown } | undefined)?.data : undefined;
  return new ProtocolError(isKept ? rpc : codeOf(error), text, data);
}

function codeOf({ code }: AppError): number {
  return ['invalid_input', 'not_found', 'forbidden'].includes(code)
    ? ProtocolErrorCode.InvalidParams
    : ProtocolErrorCode.InternalError;
}

/** The caller over stdio, where there is only one. */
const ONLY_CALLER = 'stdio';

/** The caller's name in the audit log. */
export function whoCalls({ principal }: Caller): string {
  return principal?.id ?? ONLY_CALLER;
}

/** The HTTP gate checks scopes by the last listing; a capability it has not seen is checked here. */
export function mayUse({ principal }: Caller): (exposure: Exposure) => void {
  return (exposure) => {
    if (!principal) return;
    const needed = effectOf(exposure) === 'read' ? 'notes:read' : 'notes:write';
    if (covers(principal.scopes, needed)) return;
    throw new AppError('forbidden', `This needs the scope ${needed}`, { subject: exposure.name });
  };
}
