/** The usage page: calls, errors, times and sizes of answers over the last hour, day or month. */
import { AppError } from '../../shared/errors.ts';
import { type Html, html } from '../../shared/html.ts';
import { type ConsolePage, linkTo } from '../page.ts';
import { barPlot, type Range, rangePlot, scaleOf, sparkline } from '../plot.ts';

export const USAGE_PATH = '/console/usage';

interface Figures {
  readonly calls: number;
  readonly errors: number;
  /** Milliseconds. */
  readonly p50?: number;
  readonly p95?: number;
  /** Characters. */
  readonly size50?: number;
  readonly size95?: number;
}

export interface UsageFacts {
  readonly slots: readonly Figures[];
  readonly tools: readonly (Figures & { readonly tool: string; readonly calledIn: readonly number[] })[];
  readonly total: Figures;
}

type Period = 'hour' | 'day' | 'month';

/** Gives the counts of a period. */
export type UsageSource = (period: Period) => UsageFacts;

const PERIODS: Readonly<Record<Period, { name: string; slot: string; begin: string; end: string }>> = {
  hour: { name: 'Last hour', slot: 'minute', begin: '60 minutes ago', end: 'now' },
  day: { name: 'Last day', slot: 'hour', begin: '24 hours ago', end: 'now' },
  month: { name: 'Last month', slot: 'day', begin: '30 days ago', end: 'today' },
};

export function usagePage(usageOf: UsageSource): ConsolePage {
  return {
    path: USAGE_PATH,
    menu: 'Usage',
    isForAdmins: true,
    async show({ query }) {
      const period = periodOf(query.get('period') ?? 'day');
      return { title: 'Usage', body: html`${choiceOf(period)}${bodyOf(period, usageOf(period))}` };
    },
  };
}

function periodOf(text: string): Period {
  if (Object.hasOwn(PERIODS, text)) return text as Period;
  throw new AppError('invalid_input', 'There are no counts for this period', {
    subject: text.slice(0, 60),
    hint: 'Choose the last hour, day or month.',
  });
}

function choiceOf(current: Period): Html {
  return html`<nav class="tabs" aria-label="Period">${Object.entries(PERIODS).map(
    ([period, { name }]) =>
      html`<a href="${linkTo(USAGE_PATH, { period })}"${period === current && html` aria-current="page"`}>${name}</a>`,
  )}</nav>`;
}

function bodyOf(period: Period, { slots, tools, total }: UsageFacts): Html {
  const { slot, name } = PERIODS[period];
  if (total.calls === 0)
    return html`<p>No assistant has called a tool in the ${name.toLowerCase()}.</p>
<p class="quiet">Counts appear here as soon as a connected assistant reads or changes notes; they survive a restart of the server.</p>`;
  const most = Math.max(...slots.map(({ calls }) => calls));
  const times = slots.map(({ p50, p95 }) => rangeOf(p50, p95));
  const sizes = slots.map(({ size50, size95 }) => rangeOf(size50, size95));
  return html`<dl class="figures">
<div><dt>Calls</dt><dd>${countOf(total.calls)}</dd></div>
<div><dt>Errors</dt><dd>${countOf(total.errors)}<span class="quiet"> ${percentOf(total)}</span></dd></div>
<div><dt>Half answered within</dt><dd>${timeSpan(total.p50)}</dd></div>
<div><dt>95 % answered within</dt><dd>${timeSpan(total.p95)}</dd></div>
</dl>
${chart({
  title: `Calls per ${slot}`,
  plot: barPlot(
    slots.map(({ calls, errors }) => ({ value: calls, bad: errors })),
    `Calls per ${slot}: ${countOf(total.calls)} in all, ${countOf(most)} at most; ${countOf(total.errors)} failed.`,
  ),
  scale: [countOf(most), '0'],
  period,
  key: total.errors > 0 ? html`<span class="key bad">failed</span>` : undefined,
})}
${chart({
  title: 'Time to answer',
  plot: rangePlot(
    times,
    `Time to answer per ${slot}: half of all calls within ${timeSpan(total.p50)}, 95 percent within ${timeSpan(total.p95)}.`,
  ),
  scale: scaleWords(times, timeSpan),
  period,
  key: html`<span class="key">half within</span> <span class="key soft">95 % within</span>`,
})}
${chart({
  title: 'Size of answers, in characters',
  plot: rangePlot(
    sizes,
    `Size of answers per ${slot}: half of them up to ${sizeOf(total.size50)} characters, 95 percent up to ${sizeOf(total.size95)}.`,
  ),
  scale: scaleWords(sizes, sizeOf),
  period,
  key: html`<span class="key">half up to</span> <span class="key soft">95 % up to</span>`,
})}
<h2>Tools</h2>
${toolTable(tools, slot)}`;
}

interface Chart {
  readonly title: string;
  readonly plot: Html;
  /** The words at the top and the bottom of the scale. */
  readonly scale: readonly [string, string];
  readonly period: Period;
  readonly key?: Html;
}

function chart({ title, plot, scale: [top, bottom], period, key }: Chart): Html {
  const { begin, end } = PERIODS[period];
  return html`<section class="card chart"><div class="row"><h2>${title}</h2><span class="end quiet">${key}</span></div>
<div class="area"><span class="scale" aria-hidden="true"><span>${top}</span><span>${bottom}</span></span>${plot}</div>
<div class="axis" aria-hidden="true"><span>${begin}</span><span>${end}</span></div></section>`;
}

function toolTable(tools: UsageFacts['tools'], slot: string): Html {
  return html`<div class="wide" tabindex="0" role="region" aria-label="Tools"><table class="even numbers">
<thead><tr><th scope="col">Tool</th><th scope="col">Per ${slot}</th><th scope="col">Calls</th><th scope="col">Errors</th><th scope="col">Time, half</th><th scope="col">Time, 95 %</th><th scope="col">Size, half</th><th scope="col">Size, 95 %</th></tr></thead>
<tbody>${tools.map(
    ({ tool, calledIn, calls, errors, p50, p95, size50, size95 }) => html`<tr>
<th scope="row"><code>${tool}</code></th><td>${sparkline(calledIn, `${tool}: ${countOf(calls)} calls`)}</td><td>${countOf(calls)}</td><td>${errors > 0 ? html`<span class="badge bad">${countOf(errors)}</span>` : '0'}</td>
<td>${timeSpan(p50)}</td><td>${timeSpan(p95)}</td><td>${sizeOf(size50)}</td><td>${sizeOf(size95)}</td></tr>`,
  )}</tbody></table></div>
<p class="quiet">Half of the calls, and 95 % of them, were answered within the time, with at most so many characters. The figures are estimates: times within a fifth, sizes within a half. Days are those of UTC.</p>`;
}

function rangeOf(from: number | undefined, to: number | undefined): Range | undefined {
  return from === undefined || to === undefined ? undefined : { from, to };
}

function scaleWords(
  ranges: readonly (Range | undefined)[],
  words: (value: number) => string,
): readonly [string, string] {
  const { low, high } = scaleOf(ranges.filter((range) => range !== undefined));
  return [words(high), words(low)];
}

function countOf(count: number): string {
  return count.toLocaleString('en-US');
}

function percentOf({ calls, errors }: Figures): string {
  if (errors === 0) return '';
  const percent = (100 * errors) / calls;
  return `(${percent < 1 ? 'under 1' : Math.round(percent)} %)`;
}

function timeSpan(milliseconds: number | undefined): string {
  if (milliseconds === undefined) return '–';
  if (milliseconds >= 1_000) return `${shortNumber(milliseconds / 1_000)} s`;
  return `${shortNumber(milliseconds)} ms`;
}

function sizeOf(characters: number | undefined): string {
  if (characters === undefined) return '–';
  if (characters >= 1_000_000) return `${shortNumber(characters / 1_000_000)} M`;
  if (characters >= 1_000) return `${shortNumber(characters / 1_000)} k`;
  return String(Math.round(characters));
}

function shortNumber(value: number): string {
  return value < 10 ? String(Math.round(value * 10) / 10) : String(Math.round(value));
}
