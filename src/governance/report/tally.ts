/** Folds the audit log of a period into counts; memory is bounded by the number of servers, not by the length of the log. */
import { type AuditEvent, type AuditRecord, CALL_OUTCOMES, type CallOutcome } from '../audit/audit.ts';
import { LOAD_COUNTS, NESTED_COUNTS, summed, type Tally } from '../counts.ts';
import { percentile } from '../usage.ts';

const MAX_TIMES = 10_000;
const MAX_NAMES = 1_000;
const MAX_COMPILED = 100;
const MAX_ASKED = 20;

interface TallyBuilder {
  readonly counts: Record<CallOutcome, number>;
  readonly times: number[];
}

/** `rules` are the names of the rules whose use is of interest. */
export async function tallyOf(events: AsyncIterable<AuditRecord>, rules: readonly string[]) {
  const calls = new Map<string, TallyBuilder>();
  const denials = new Map<string, number>();
  const usedRules = new Set<string>();
  const compiled: ReturnType<typeof compiledOf>[] = [];
  const asked: ReturnType<typeof askedOf>[] = [];
  const results = new Map<string, ResultFinding>();
  const load = new Map<string, LoadTally>();
  let nested = summed(NESTED_COUNTS, {}, {});
  for await (const event of events) {
    if (event.event === 'nested') nested = summed(NESTED_COUNTS, nested, event);
    if (event.event === 'load') addLoad(load, event);
    if (event.event === 'returned') {
      addReturn(tallyOfServer(calls, event.server), event);
      for (const code of event.findings ?? []) addFinding(results, event, code);
    }
    if (event.event === 'compiled') keepLast(compiled, compiledOf(event), MAX_COMPILED);
    if (event.event === 'asked') keepLast(asked, askedOf(event), MAX_ASKED);
    if (event.event !== 'decided') continue;
    if (rules.includes(event.rule)) usedRules.add(event.rule);
    if (event.outcome !== 'deny') continue;
    add(denials, event.code);
    tallyOfServer(calls, event.server).counts.denied++;
  }
  return {
    calls: [...calls].map(([server, { counts, times }]) => ({
      server,
      ...counts,
      p50_ms: percentile(times, 0.5),
      p95_ms: percentile(times, 0.95),
    })),
    /** By code, the most frequent first. */
    denials: [...denials].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)),
    /** The given rules that decided something. */
    usedRules,
    compiled,
    /** Findings in results, with what was done about them. */
    results: [...results.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, one]) => one),
    nested,
    /** Messages that were left out, by server. */
    load: [...load].map(([server, counts]) => ({ server, ...counts })),
    /** The newest questions only. */
    asked,
  };
}

interface ResultFinding {
  readonly server: string;
  readonly code: string;
  readonly handling: string;
  count: number;
}

function addFinding(
  results: Map<string, ResultFinding>,
  { server, handling = 'pass' }: { server: string; handling?: string },
  code: string,
): void {
  const key = `${server} ${code} ${handling}`;
  const known = results.get(key) ?? { server, code, handling, count: 0 };
  known.count++;
  if (results.has(key) || results.size < MAX_NAMES) results.set(key, known);
}

type LoadTally = Tally<typeof LOAD_COUNTS>;

function addLoad(load: Map<string, LoadTally>, event: Extract<AuditEvent, { event: 'load' }>): void {
  const before = load.get(event.server);
  if (before || load.size < MAX_NAMES) load.set(event.server, summed(LOAD_COUNTS, before, event));
}

function tallyOfServer(calls: Map<string, TallyBuilder>, server: string): TallyBuilder {
  const known = calls.get(server) ?? { counts: zeroes(), times: [] };
  if (calls.size < MAX_NAMES) calls.set(server, known);
  return known;
}

function zeroes(): TallyBuilder['counts'] {
  return Object.fromEntries(CALL_OUTCOMES.map((outcome) => [outcome, 0])) as TallyBuilder['counts'];
}

function addReturn(
  { counts, times }: TallyBuilder,
  { outcome, ms }: { outcome: CallOutcome; ms: number },
): void {
  counts[outcome]++;
  times.push(ms);
  if (times.length > MAX_TIMES) times.shift();
}

function compiledOf(event: AuditRecord<Extract<AuditEvent, { event: 'compiled' }>>) {
  const { time, server, capability: uri, status, sha256 } = event;
  return { time, server, uri, status, sha256 };
}

/** `about`: a form's message and fields, a page, or the approval of a prompt. */
function askedOf(event: AuditRecord<Extract<AuditEvent, { event: 'asked' }>>) {
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
