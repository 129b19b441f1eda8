/** When a task that recurs is due again. Rules are those of Obsidian Tasks that count days, weeks, months or years. */

interface Step {
  readonly every: number;
  readonly unit: 'day' | 'week' | 'month' | 'year';
  /** From the day on which it is done, instead of the day on which it was due. */
  readonly whenDone: boolean;
}

const RULE = /^every(?:[ \t]+(\d{1,4}))?[ \t]+(day|week|month|year)s?([ \t]+when[ \t]+done)?$/i;

/** Undefined for any other rule, such as `every weekday` or `every month on the last Friday`. */
export function parseRecurrence(rule: string): Step | undefined {
  const [, every = '1', unit = '', whenDone] = RULE.exec(rule.trim()) ?? [];
  if (unit === '' || Number(every) === 0) return undefined;
  return { every: Number(every), unit: unit.toLowerCase() as Step['unit'], whenDone: whenDone !== undefined };
}

const DAY_MS = 86_400_000;

/** A month later than the 31st is the last day of the next month. */
export function stepAfter(day: string, { every, unit }: Step): string {
  const time = Date.parse(`${day}T00:00:00Z`);
  if (unit === 'day' || unit === 'week') return isoDay(time + every * (unit === 'week' ? 7 : 1) * DAY_MS);
  const date = new Date(time);
  const months = date.getUTCFullYear() * 12 + date.getUTCMonth() + every * (unit === 'year' ? 12 : 1);
  const [year, month] = [Math.floor(months / 12), months % 12];
  const last = new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
  return isoDay(Date.UTC(year, month, Math.min(date.getUTCDate(), last)));
}

/** Each date moves as far as the reference does: the due date, else the scheduled one, else the start. */
export function nextDates<Name extends string>(
  dates: Readonly<Partial<Record<Name, string>>>,
  order: readonly Name[],
  step: Step,
  today: string,
): Partial<Record<Name, string>> {
  const reference = order.map((name) => dates[name]).find((day) => day !== undefined);
  if (reference === undefined) return {};
  const next = stepAfter(step.whenDone ? today : reference, step);
  const moved = Date.parse(next) - Date.parse(reference);
  const entries = order.flatMap((name) => {
    const day = dates[name];
    return day === undefined ? [] : [[name, isoDay(Date.parse(day) + moved)] as const];
  });
  return Object.fromEntries(entries) as Partial<Record<Name, string>>;
}

function isoDay(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}
