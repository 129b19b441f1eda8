/**
 * Audit records of the nested requests of a server: one for each request up to a rate limit, and counts of all, so that a
 * server that asks without end does not fill the log.
 */
import type { Log } from '../shared/log.ts';
import { printable } from '../shared/printable.ts';
import { createSlidingCounter } from '../shared/rate-limit.ts';
import type { NestedRecord } from '../upstream/nested/request.ts';
import type { Audit, AuditEvent } from './audit/audit.ts';
import { maskSecrets } from './catalog/scan/shadowing.ts';
import { digestOf } from './digest.ts';

export interface NestedRecorder {
  note(asked: NestedRecord): Promise<void>;
  /** Resolves once the counts are written. */
  flush(): Promise<void>;
}

const COUNT_MS = 2_000;
const MINUTE_MS = 60_000;
const LINES_A_MINUTE = 30;
const MAX_MESSAGE = 200;
const MAX_NAMES = 20;

type Counts = {
  -readonly [Name in keyof Omit<Extract<AuditEvent, { event: 'nested' }>, 'event' | 'server'>]-?: number;
};

const NONE: Counts = {
  roots: 0,
  sampling: 0,
  accepted: 0,
  declined: 0,
  cancelled: 0,
  refused: 0,
  inputTokens: 0,
  outputTokens: 0,
};

export function openNestedRecorder(audit: Audit, server: string, log: Log): NestedRecorder {
  let counts = { ...NONE };
  let timer: NodeJS.Timeout | undefined;
  const lines = createSlidingCounter(MINUTE_MS, () => performance.now());

  const flush = async () => {
    clearTimeout(timer);
    timer = undefined;
    const written = counts;
    if (Object.values(written).every((count) => count === 0)) return;
    counts = { ...NONE };
    await audit.record({ event: 'nested', server, ...written }).catch((error) => {
      log('error', 'the requests of a server could not be written to the audit log', {
        server,
        error: String(error),
      });
    });
  };
  const mayWrite = () => {
    if (lines.count(server) >= LINES_A_MINUTE) return false;
    lines.add(server, performance.now());
    return true;
  };

  return {
    async note(asked) {
      count(counts, asked);
      timer ??= setTimeout(() => void flush(), COUNT_MS).unref();
      const line = lineOf(server, asked);
      // A prompt that goes to the model is always recorded, and before it goes.
      const isSent = asked.asked === 'sampling' && asked.outcome === 'accept';
      if (line && (isSent || mayWrite())) await audit.record(line);
    },
    flush,
  };
}

function count(counts: Counts, asked: NestedRecord): void {
  switch (asked.asked) {
    case 'roots':
      counts.roots++;
      break;
    case 'tokens':
      counts.inputTokens += asked.input;
      counts.outputTokens += asked.output;
      break;
    case 'sampling':
      counts[asked.outcome === 'accept' ? 'sampling' : 'refused']++;
      break;
    case 'elicitation':
      counts[ELICITED[asked.outcome]]++;
  }
}

const ELICITED = { accept: 'accepted', decline: 'declined', cancel: 'cancelled' } as const;

function lineOf(server: string, asked: NestedRecord): AuditEvent | undefined {
  switch (asked.asked) {
    case 'elicitation':
      return {
        event: 'asked',
        server,
        asked: 'elicitation',
        outcome: asked.outcome,
        message: printable(maskSecrets(asked.message), MAX_MESSAGE),
        wanted: asked.wanted.slice(0, MAX_NAMES).map((name) => printable(name, MAX_MESSAGE)),
      };
    case 'sampling':
      return {
        event: 'asked',
        server,
        asked: 'sampling',
        outcome: asked.outcome,
        digest: digestOf(asked.prompt),
        approval: asked.approval,
      };
    default:
      return undefined;
  }
}
