/** The operator's line about a call: which tool, how long, and how it ended; never what was said in it. */
import type { AuditedCall, AuditLine } from '../../mcp/tool.ts';
import { classOf } from './render-error.ts';

export function auditLine({ tool, milliseconds, error }: AuditedCall): AuditLine {
  return {
    level: 'info',
    message: 'tool_call',
    fields: {
      tool: tool.slice(0, 100),
      duration_ms: Math.round(milliseconds),
      ok: error === undefined,
      ...(error && { error: classOf(error) }),
      ...(error?.upstream && { status: error.upstream.status }),
      ...(error?.upstream?.code !== undefined && { code: error.upstream.code }),
    },
  };
}
