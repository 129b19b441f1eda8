/** What a server behind us answered, or why it could not, as the result of a tool. */
import type { Answered } from '../../governance/call.ts';
import type { CallResult } from '../../mcp/tool.ts';
import { type AppError, isAppError } from '../../shared/errors.ts';
import { APPROVAL } from './definition.ts';

const OURS = 'sb/';
const FINDINGS = 'sb/findings';

export function answerOf({ result, findings }: Answered): CallResult {
  const { content, structuredContent, isError, _meta } = result;
  const codes = [...new Set(findings.map(({ code }) => code))].sort();
  const meta = { ...foreign(_meta), ...(codes.length > 0 && { [FINDINGS]: codes }) };
  return {
    // The blocks are the server's own, of every kind there is; the client that asked knows them.
    content: (Array.isArray(content) ? content : []) as CallResult['content'],
    ...(structuredContent !== undefined && {
      structuredContent: structuredContent as Record<string, unknown>,
    }),
    ...(isError === true && { isError }),
    ...(Object.keys(meta).length > 0 && { _meta: meta }),
  };
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
    ...(isAppError(error, 'approval_required') && { _meta: approvalMeta(error) }),
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
