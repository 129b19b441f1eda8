/**
 * Counts of tool calls for people: per minute of the last hour, per hour of the last day, per day of the last month.
 * Latencies and sizes are histograms with logarithmic bins, so that a call costs a few additions and the memory has a
 * bound, whatever callers send. A snapshot of it survives a restart.
 */

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

export const USAGE_PERIODS = {
  hour: { slots: 60, slotMs: MINUTE_MS },
  day: { slots: 24, slotMs: HOUR_MS },
  month: { slots: 30, slotMs: DAY_MS },
} as const;
export type UsagePeriod = keyof typeof USAGE_PERIODS;
const PERIODS = Object.keys(USAGE_PERIODS) as UsagePeriod[];

/** Two bins for each doubling: a quantile is right within a fifth. */
const LATENCY = { first: 0.25, perDoubling: 2, bins: 40 };
const SIZE = { first: 16, perDoubling: 1, bins: 20 };
const [CALLS, ERRORS, LATENCY_AT] = [0, 1, 2];
const SIZE_AT = LATENCY_AT + LATENCY.bins;
const WIDTH = SIZE_AT + SIZE.bins;

const APP_DAYS = 14;
const OTHER = 'other';

export interface CountedCall {
  readonly tool: string;
  readonly isError: boolean;
  readonly milliseconds: number;
  /** Of the answer. */
  readonly characters: number;
  readonly principal: string;
  /** The OAuth client, or the name that the program gave itself. */
  readonly client: string;
}

export interface UsageFigures {
  readonly calls: number;
  readonly errors: number;
  /** Milliseconds; undefined without calls, like the other quantiles. */
  readonly p50?: number;
  readonly p95?: number;
  /** Characters. */
  readonly size50?: number;
  readonly size95?: number;
}

export interface UsageReport {
  /** From the oldest slot to the current one. */
  readonly slots: readonly (UsageFigures & { readonly at: number })[];
  /** The tools that were called, most calls first. */
  readonly tools: readonly (UsageFigures & { readonly tool: string; readonly calledIn: readonly number[] })[];
  readonly total: UsageFigures;
}

export interface AppUsage {
  readonly principal: string;
  readonly client: string;
  readonly lastAt: number;
  /** Calls per day, today last. */
  readonly days: readonly number[];
}

/** Slots that are used again in turn; `numbers` says which span of time a slot is about. */
interface Ring {
  readonly numbers: Float64Array;
  readonly cells: Uint32Array;
}

type ToolRings = Readonly<Record<UsagePeriod, Ring>>;

interface App {
  readonly principal: string;
  readonly client: string;
  readonly days: Ring;
  lastAt: number;
}

interface UsageOptions {
  readonly now?: () => number;
  /** Tools and apps with counts of their own. */
  readonly maxTools?: number;
  readonly maxApps?: number;
}

export type Usage = ReturnType<typeof createUsage>;

export function createUsage({ now = Date.now, maxTools = 100, maxApps = 300 }: UsageOptions = {}) {
  const tools = new Map<string, ToolRings>();
  const apps = new Map<string, App>();

  const ringsOf = (tool: string): ToolRings => {
    const known = tools.get(tool);
    if (known) return known;
    if (tools.size >= maxTools && tool !== OTHER) return ringsOf(OTHER);
    const rings = newToolRings();
    tools.set(tool, rings);
    return rings;
  };
  const appOf = (principal: string, client: string): App => {
    const key = `${principal}\n${client}`;
    const known = apps.get(key);
    if (known) return known;
    if (apps.size >= maxApps) forgetOldest(apps);
    const app: App = { principal, client, days: newRing(APP_DAYS, 1), lastAt: 0 };
    apps.set(key, app);
    return app;
  };

  return {
    count({ tool, isError, milliseconds, characters, principal, client }: CountedCall): void {
      const at = now();
      const rings = ringsOf(tool);
      const latencyBin = LATENCY_AT + binOf(milliseconds, LATENCY);
      const sizeBin = SIZE_AT + binOf(characters, SIZE);
      for (const period of PERIODS) {
        const { slotMs } = USAGE_PERIODS[period];
        const { cells } = rings[period];
        const from = slotAt(rings[period], Math.floor(at / slotMs), WIDTH);
        cells[from + CALLS]!++;
        if (isError) cells[from + ERRORS]!++;
        cells[from + latencyBin]!++;
        cells[from + sizeBin]!++;
      }
      const app = appOf(principal, client);
      app.lastAt = at;
      app.days.cells[slotAt(app.days, Math.floor(at / DAY_MS), 1)]!++;
    },

    report(period: UsagePeriod): UsageReport {
      const { slots, slotMs } = USAGE_PERIODS[period];
      const first = Math.floor(now() / slotMs) - slots + 1;
      const perSlot = Array.from({ length: slots }, () => new Float64Array(WIDTH));
      const found: UsageReport['tools'][number][] = [];
      for (const [tool, { [period]: ring }] of tools) {
        const whole = new Float64Array(WIDTH);
        const calledIn = perSlot.map((slot, at) => {
          const cells = cellsOf(ring, first + at, WIDTH);
          for (let cell = 0; cell < (cells?.length ?? 0); cell++) {
            slot[cell]! += cells![cell]!;
            whole[cell]! += cells![cell]!;
          }
          return cells?.[CALLS] ?? 0;
        });
        if (whole[CALLS]! > 0) found.push({ tool, calledIn, ...figuresOf(whole) });
      }
      const all = new Float64Array(WIDTH);
      for (const slot of perSlot) for (let cell = 0; cell < WIDTH; cell++) all[cell]! += slot[cell]!;
      return {
        slots: perSlot.map((slot, at) => ({ at: (first + at) * slotMs, ...figuresOf(slot) })),
        tools: found.sort((a, b) => b.calls - a.calls || (a.tool < b.tool ? -1 : 1)),
        total: figuresOf(all),
      };
    },

    /** Apps that called something lately, the last one first. */
    apps(): AppUsage[] {
      const today = Math.floor(now() / DAY_MS);
      return [...apps.values()]
        .map(({ days, ...app }) => ({
          ...app,
          days: Array.from({ length: APP_DAYS }, (_, at) => {
            const cells = cellsOf(days, today - APP_DAYS + 1 + at, 1);
            return cells?.[0] ?? 0;
          }),
        }))
        .filter(({ days }) => days.some((calls) => calls > 0))
        .sort((a, b) => b.lastAt - a.lastAt);
    },

    snapshot: (): UsageSnapshot => ({
      version: 1,
      tools: [...tools].map(([tool, rings]) => ({
        tool,
        hour: rowsOf(rings.hour, WIDTH),
        day: rowsOf(rings.day, WIDTH),
        month: rowsOf(rings.month, WIDTH),
      })),
      apps: [...apps.values()].map(({ days, ...app }) => ({ ...app, days: rowsOf(days, 1) })),
    }),

    /** Adds the counts of a snapshot. Throws for what is none. */
    add(snapshot: UsageSnapshot): void {
      for (const { tool, ...rows } of snapshot.tools.slice(0, maxTools + 1)) {
        const rings = ringsOf(String(tool));
        for (const period of PERIODS) addRows(rings[period], rows[period], WIDTH);
      }
      for (const { principal, client, lastAt, days } of snapshot.apps.slice(0, maxApps)) {
        const app = appOf(String(principal), String(client));
        app.lastAt = Math.max(app.lastAt, Number(lastAt));
        addRows(app.days, days, 1);
      }
    },
  };
}

/** A slot as its number and pairs of cell and count. */
type Row = readonly number[];

export interface UsageSnapshot {
  readonly version: 1;
  readonly tools: readonly (Readonly<Record<UsagePeriod, readonly Row[]>> & { readonly tool: string })[];
  readonly apps: readonly {
    readonly principal: string;
    readonly client: string;
    readonly lastAt: number;
    readonly days: readonly Row[];
  }[];
}

function newToolRings(): ToolRings {
  const ringOf = (period: UsagePeriod) => newRing(USAGE_PERIODS[period].slots, WIDTH);
  return { hour: ringOf('hour'), day: ringOf('day'), month: ringOf('month') };
}

function newRing(slots: number, width: number): Ring {
  return { numbers: new Float64Array(slots).fill(-1), cells: new Uint32Array(slots * width) };
}

/** Where the cells of a slot begin; a slot of an older span of time begins anew. */
function slotAt({ numbers, cells }: Ring, number: number, width: number): number {
  const slot = number % numbers.length;
  const from = slot * width;
  if (numbers[slot] !== number) {
    cells.fill(0, from, from + width);
    numbers[slot] = number;
  }
  return from;
}

function cellsOf({ numbers, cells }: Ring, number: number, width: number): Uint32Array | undefined {
  const slot = number % numbers.length;
  return numbers[slot] === number ? cells.subarray(slot * width, (slot + 1) * width) : undefined;
}

function rowsOf(ring: Ring, width: number): Row[] {
  const rows: Row[] = [];
  for (const [slot, number] of ring.numbers.entries()) {
    if (number < 0) continue;
    const row = [number];
    for (let cell = 0; cell < width; cell++) {
      const count = ring.cells[slot * width + cell]!;
      if (count > 0) row.push(cell, count);
    }
    rows.push(row);
  }
  return rows;
}

/** Slots of a time that the ring is past are left out. */
function addRows(ring: Ring, rows: readonly Row[], width: number): void {
  for (const [number = -1, ...pairs] of rows) {
    if (!Number.isSafeInteger(number) || number < 0) throw new TypeError('no number of a slot');
    if ((ring.numbers[number % ring.numbers.length] ?? -1) > number) continue;
    const from = slotAt(ring, number, width);
    for (let at = 0; at + 1 < pairs.length; at += 2) {
      const [cell = -1, count = -1] = [pairs[at], pairs[at + 1]];
      if (!(cell >= 0 && cell < width && count >= 0)) throw new TypeError('no count of a slot');
      ring.cells[from + cell]! += count;
    }
  }
}

function forgetOldest(apps: Map<string, App>): void {
  let oldest: readonly [string, App] | undefined;
  for (const entry of apps) if (!oldest || entry[1].lastAt < oldest[1].lastAt) oldest = entry;
  if (oldest) apps.delete(oldest[0]);
}

type Bins = typeof LATENCY;

function binOf(value: number, { first, perDoubling, bins }: Bins): number {
  if (!(value > first)) return 0;
  return Math.min(bins - 1, 1 + Math.floor(perDoubling * Math.log2(value / first)));
}

function figuresOf(cells: Float64Array): UsageFigures {
  const calls = cells[CALLS]!;
  if (calls === 0) return { calls, errors: 0 };
  const latencies = cells.subarray(LATENCY_AT, SIZE_AT);
  const sizes = cells.subarray(SIZE_AT);
  return {
    calls,
    errors: cells[ERRORS]!,
    p50: quantile(latencies, 0.5, LATENCY),
    p95: quantile(latencies, 0.95, LATENCY),
    size50: quantile(sizes, 0.5, SIZE),
    size95: quantile(sizes, 0.95, SIZE),
  };
}

/** Interpolated within its bin. */
function quantile(counts: Float64Array, share: number, { first, perDoubling }: Bins): number {
  const total = counts.reduce((sum, count) => sum + count, 0);
  let left = share * total;
  for (const [bin, count] of counts.entries()) {
    if (count > 0 && left <= count) {
      const upper = first * 2 ** (bin / perDoubling);
      const lower = bin === 0 ? 0 : first * 2 ** ((bin - 1) / perDoubling);
      return lower + (left / count) * (upper - lower);
    }
    left -= count;
  }
  return 0;
}
