/** Plots as SVG, drawn on the server. Colors come from the style sheet; each plot says in words what it shows. */
import { type Html, html } from '../shared/html.ts';

interface Bar {
  readonly value: number;
  /** The part of `value` that is marked as bad. */
  readonly bad?: number;
}

const HEIGHT = 100;
const SLOT = 10;
const GAP = 2;

/** One bar for each value, all of the same width. `label` tells what the bars tell. */
export function barPlot(bars: readonly Bar[], label: string): Html {
  const most = Math.max(1, ...bars.map(({ value }) => value));
  const heightOf = (value: number) => (value === 0 ? 0 : Math.max(2, (value / most) * HEIGHT));
  return plot(
    bars.map(({ value, bad = 0 }, at) => {
      const [whole, badPart] = [heightOf(value), Math.min(heightOf(bad), heightOf(value))];
      return html`${rect(at, HEIGHT - whole, whole)}${badPart > 0 && rect(at, HEIGHT - badPart, badPart, 'bad')}`;
    }),
    bars.length,
    label,
  );
}

export interface Range {
  readonly from: number;
  readonly to: number;
}

/** Ranges over time, on a logarithmic scale; undefined where there is none. */
export function rangePlot(ranges: readonly (Range | undefined)[], label: string): Html {
  const known = ranges.filter((range) => range !== undefined);
  const { low, high } = scaleOf(known);
  const placeOf = (value: number) => HEIGHT * (1 - share(value, low, high));
  return plot(
    ranges.map((range, at) => {
      if (!range) return html``;
      const [top, bottom] = [placeOf(range.to), placeOf(range.from)];
      return html`${rect(at, top, Math.max(2, bottom - top), 'soft')}${rect(at, Math.min(bottom, HEIGHT - 3), 3)}`;
    }),
    ranges.length,
    label,
  );
}

/** The least and the greatest value of a scale: whole powers of ten around all ranges. */
export function scaleOf(ranges: readonly Range[]): { readonly low: number; readonly high: number } {
  const least = Math.min(...ranges.map(({ from }) => from));
  const most = Math.max(...ranges.map(({ to }) => to));
  if (!Number.isFinite(least)) return { low: 1, high: 10 };
  const low = 10 ** Math.floor(Math.log10(Math.max(least, 0.1)));
  return { low, high: Math.max(low * 10, 10 ** Math.ceil(Math.log10(Math.max(most, 0.1)))) };
}

function share(value: number, low: number, high: number): number {
  const part = Math.log(Math.max(value, low) / low) / Math.log(high / low);
  return Math.min(1, part);
}

/** A small plot beside a name. */
export function sparkline(values: readonly number[], label: string): Html {
  return html`<span class="spark">${barPlot(
    values.map((value) => ({ value })),
    label,
  )}</span>`;
}

function plot(parts: readonly Html[], slots: number, label: string): Html {
  const width = slots * SLOT;
  return html`<svg class="plot" role="img" aria-label="${label}" viewBox="0 0 ${width} ${HEIGHT}" preserveAspectRatio="none">
<rect class="ground" x="0" y="${HEIGHT - 1}" width="${width}" height="1" fill="currentColor"></rect>${parts}</svg>`;
}

function rect(at: number, top: number, height: number, kind?: 'bad' | 'soft'): Html {
  return html`<rect${kind !== undefined && html` class="${kind}"`} x="${at * SLOT + GAP / 2}" y="${round(top)}" width="${SLOT - GAP}" height="${round(height)}" fill="currentColor"></rect>`;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
