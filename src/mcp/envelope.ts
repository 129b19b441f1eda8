/** What clients of 2026-07-28 say of themselves with each request. */
import type { ServerContext } from '@modelcontextprotocol/server';

export function saidWith({ mcpReq }: ServerContext, key: string): unknown {
  return (mcpReq.envelope as Readonly<Record<string, unknown>> | undefined)?.[key];
}
