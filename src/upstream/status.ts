/** The status of an upstream server, without a request to it. */
import type { Implementation, ServerCapabilities } from '@modelcontextprotocol/client';
import type { Connection, ConnectionState } from './connection.ts';
import type { NestedCounts } from './nested/request.ts';
import type { SandboxBackend } from './sandbox/plan.ts';
import type { Session } from './session.ts';

export interface ServerFacts {
  readonly era: 'modern' | 'legacy' | undefined;
  readonly protocolVersion: string | undefined;
  readonly server: Implementation | undefined;
  readonly instructions: string | undefined;
  readonly capabilities: ServerCapabilities | undefined;
  /** Only for stdio. */
  readonly sandbox: SandboxBackend | undefined;
  readonly warnings: readonly string[];
}

export interface UpstreamStatus {
  readonly state: ConnectionState;
  readonly facts: ServerFacts | undefined;
  /** Answers that came after their request was cancelled. */
  readonly lateAnswers: number;
  /** Lines on stdout that are not JSON-RPC messages. */
  readonly strayLines: number;
  /** The end of the process's stderr. */
  readonly stderr: string;
  readonly lastError: unknown;
  readonly nested: NestedCounts;
}

export function factsOf({ client, opened }: Session): ServerFacts {
  return {
    era: client.getProtocolEra(),
    protocolVersion: client.getNegotiatedProtocolVersion(),
    server: client.getServerVersion(),
    instructions: client.getInstructions(),
    capabilities: client.getServerCapabilities(),
    sandbox: opened.sandbox,
    warnings: opened.warnings,
  };
}

export function statusOf({ state, lastError, current }: Connection, nested: NestedCounts): UpstreamStatus {
  return {
    state,
    facts: current && factsOf(current),
    lateAnswers: current?.lateAnswers() ?? 0,
    strayLines: current?.opened.strayLines() ?? 0,
    stderr: current?.opened.stderr() ?? '',
    lastError,
    nested,
  };
}
