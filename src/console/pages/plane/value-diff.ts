/** Values of a definition before and now, with the words that differ marked. */
import type { ValueChange } from '../../../governance/catalog/compare.ts';
import { type Html, html } from '../../../shared/html.ts';

export function valueDiff(changes: readonly ValueChange[]): Html {
  return html`<div class="diff"><table>${changes.map(
    ({ place, before, now }) => html`<tbody><tr class="folded"><td colspan="2">${place}</td></tr>
${before !== undefined && rowOf('removed', 'before', before, now)}${now !== undefined && rowOf('added', 'now', now, before)}</tbody>`,
  )}</table></div>`;
}

function rowOf(side: 'removed' | 'added', label: string, text: string, other: string | undefined): Html {
  const [start, end] = other === undefined ? [0, 0] : differenceOf(text, other);
  return html`<tr class="${side}"><td>${label}</td><td>${text.slice(0, start)}${end > start && html`<mark>${text.slice(start, end)}</mark>`}${text.slice(end)}</td></tr>`;
}

/** From the first word of `text` that differs to the last one. */
function differenceOf(text: string, other: string): [start: number, end: number] {
  const most = Math.min(text.length, other.length);
  let start = 0;
  while (start < most && text[start] === other[start]) start++;
  let tail = 0;
  while (tail < most - start && text[text.length - 1 - tail] === other[other.length - 1 - tail]) tail++;
  const end = text.length - tail;
  const wordStart = text.slice(0, start).search(/\S+$/);
  const wordEnd = end + (/^\S*/.exec(text.slice(end))?.[0].length ?? 0);
  if (start === end) return [start, end];
  return [wordStart < 0 ? start : wordStart, wordEnd];
}
