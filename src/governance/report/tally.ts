/** Folds the audit log of a period into counts; memory is bounded by the number of servers, not by the length of the log. */
import type { AuditEvent, AuditRecord, CallOutcome } from '../audit/audit.ts';
import { percentile } from '../usage.ts';

export const CALL_OUTCOMES: readonly CallOutcome[] = [
  'ok',
  'tool_error',
  'denied',
  'timeout',
  'cancelled',
  'transport',
];

interface CallTally {
  readonly counts: Readonly<Record<CallOutcome, number>>;
  readonly p50Ms: number;
  readonly p95Ms: number;
}

interface CompileRecord {
  readonly time: string;
  readonly server: string;
  readonly uri: string;
  readonly status: string;
  readonly sha256: string;
}

export interface Tally {
  readonly calls: ReadonlyMap<string, CallTally>;
  /** By code, the most frequent first. */
  readonly denials: readonly (readonly [code: string, count: number])[];
  /** Those of the given rules that decided something. */
  readonly usedRules: ReadonlySet<string>;
  readonly compiled: readonly CompileRecord[];
  readonly nested: NestedTally;
  /** The newest questions only. */
  readonly asked: readonly NestedQuestion[];
}

export interface NestedQuestion {
  readonly time: string;
  readonly server: string;
  readonly asked: string;
  readonly outcome: string;
  /** A form's message and fields, a page, or the approval of a prompt. */
  readonly about: string;
}

export interface NestedTally {
  readonly roots: number;
  readonly sampling: number;
  readonly sampling_refused: number;
  readonly sampling_input_tokens: number;
  readonly sampling_output_tokens: number;
  readonly elicitations_accepted: number;
  readonly elicitations_declined: number;
  readonly elicitations_cancelled: number;
}

const MAX_TIMES = 10_000;
const MAX_NAMES = 1_000;
const MAX_COMPILED = 100;
const MAX_ASKED = 20;

interface TallyBuilder {
  readonly counts: Record<CallOutcome, number>;
  readonly times: number[];
}

/** `rules` are the names of the rules whose use is of interest. */
export async function tallyOf(
  events: AsyncIterable<AuditRecord<AuditEvent>>,
  rules: readonly string[],
): Promise<Tally> {
  const calls = new Map<string, TallyBuilder>();
  const denials = new Map<string, number>();
  const usedRules = new Set<string>();
  const compiled: CompileRecord[] = [];
  const asked: NestedQuestion[] = [];
  let nested = NOTHING_ASKED;
  for await (const event of events) {
    if (event.event === 'nested') nested = withNested(nested, event);
    if (event.event === 'returned') addReturn(tallyOfServer(calls, event.server), event);
    if (event.event === 'compiled') keepLast(compiled, compiledOf(event), MAX_COMPILED);
    if (event.event === 'asked') keepLast(asked, askedOf(event), MAX_ASKED);
    if (event.event !== 'decided') continue;
    if (rules.includes(event.rule)) usedRules.add(event.rule);
    if (event.outcome !== 'deny') continue;
    add(denials, event.code);
    tallyOfServer(calls, event.server).counts.denied++;
  }
  return {
    calls: new Map([...calls].map(([server, own]) => [server, callTally(own)])),
    denials: [...denials].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)),
    usedRules,
    compiled,
    nested,
    asked,
  };
}

const NOTHING_ASKED: NestedTally = {
  roots: 0,
  sampling: 0,
  sampling_refused: 0,
  sampling_input_tokens: 0,
  sampling_output_tokens: 0,
  elicitations_accepted: 0,
  elicitations_declined: 0,
  elicitations_cancelled: 0,
};

function withNested(before: NestedTally, event: Extract<AuditEvent, { event: 'nested' }>): NestedTally {
  return {
    roots: before.roots + event.roots,
    sampling: before.sampling + event.sampling,
    sampling_refused: before.sampling_refused + (event.refused ?? 0),
    sampling_input_tokens: before.sampling_input_tokens + (event.inputTokens ?? 0),
    sampling_output_tokens: before.sampling_output_tokens + (event.outputTokens ?? 0),
    elicitations_accepted: before.elicitations_accepted + event.accepted,
    elicitations_declined: before.elicitations_declined + event.declined,
    elicitations_cancelled: before.elicitations_cancelled + event.cancelled,
  };
}

function tallyOfServer(calls: Map<string, TallyBuilder>, server: string): TallyBuilder {
  const known = calls.get(server) ?? { counts: zeroes(), times: [] };
  if (calls.size < MAX_NAMES) calls.set(server, known);
  return known;
}

function zeroes(): Record<CallOutcome, number> {
  return { ok: 0, tool_error: 0, denied: 0, timeout: 0, cancelled: 0, transport: 0 };
}

function addReturn(
  { counts, times }: TallyBuilder,
  { outcome, ms }: { outcome: CallOutcome; ms: number },
): void {
  counts[outcome]++;
  times.push(ms);
  if (times.length > MAX_TIMES) times.shift();
}

function callTally({ counts, times }: TallyBuilder): CallTally {
  return { counts, p50Ms: percentile(times, 0.5), p95Ms: percentile(times, 0.95) };
}

function compiledOf(event: AuditRecord<Extract<AuditEvent, { event: 'compiled' }>>): CompileRecord {
  const { time, server, capability: uri, status, sha256 } = event;
  return { time, server, uri, status, sha256 };
}

function askedOf(event: AuditRecord<Extract<AuditEvent, { event: 'asked' }>>): NestedQuestion {
  const { time, server, asked, outcome, message, wanted = [], approval, digest } = event;
  const said = [message, wanted.join(', '), approval ?? digest?.slice(0, 8)].filter(Boolean);
  return { time, server, asked, outcome, about: said.join(': ') };
}

function keepLast<One>(kept: One[], one: One, most: number): void {
  kept.push(one);
  if (kept.length > most) kept.shift();
}

function add(counts: Map<string, number>, key: string): void {
  if (counts.has(key) || counts.size < MAX_NAMES) counts.set(key, (counts.get(key) ?? 0) + 1);
}
