/** The difference of two texts of a note, for people: changed properties by name, lines with their changed words. */
import { parseFrontmatter } from '../../notes/frontmatter/parse.ts';
import { jsonEqual } from '../../notes/frontmatter/print.ts';
import { type Html, html } from '../../shared/html.ts';
import { type DiffLine, type DiffPart, type DiffSection, diffTexts, type TextDiff } from './text-diff.ts';

export interface DiffOptions {
  /** For a part of a note: the number of its first line in each text. Nothing in it is taken for frontmatter. */
  readonly firstLine?: { readonly before: number; readonly after: number };
}

/** Longer texts are not compared. */
const MOST_CHARACTERS = 4_000_000;

/** Undefined where there is no note. */
export async function diffView(
  before: string | undefined,
  after: string | undefined,
  options: DiffOptions = {},
): Promise<Html> {
  const [old, fresh] = [before ?? '', after ?? ''];
  if (old === fresh) return html`<p class="quiet">${sameText(before, after)}</p>`;
  if (old.length + fresh.length > MOST_CHARACTERS) return tooLong(old, fresh);
  const isReplaced = before !== undefined && after !== undefined && !options.firstLine;
  const properties = isReplaced ? await propertiesOf(old, fresh) : undefined;
  if (!properties)
    return html`<div class="diff">${linesView(diffTexts(old, fresh, options.firstLine))}</div>`;
  const { changes, bodies, blocks, firstLine } = properties;
  const body = diffTexts(bodies[0], bodies[1], firstLine);
  return html`<div class="diff"><ul class="properties">${changes.map(propertyView)}</ul>
<details class="fold"><summary>Properties as lines</summary>${linesView(diffTexts(blocks[0], blocks[1]))}</details>
${linesView(body)}</div>`;
}

function sameText(before: string | undefined, after: string | undefined): string {
  if (before === undefined) return 'The note is empty.';
  return after === undefined ? 'The note was empty.' : 'The text is the same.';
}

function tooLong(before: string, after: string): Html {
  const count = ({ length }: string) => length.toLocaleString('en');
  return html`<p class="note">The text is too long to be compared here: ${count(before)} characters before, ${count(after)} after.</p>`;
}

interface PropertyChange {
  readonly key: string;
  readonly before: string | undefined;
  readonly after: string | undefined;
}

/** Undefined where no property changed, or where one of the blocks cannot be read. */
async function propertiesOf(before: string, after: string) {
  const [old, fresh] = [await parseFrontmatter(before), await parseFrontmatter(after)];
  if (old.problem !== undefined || fresh.problem !== undefined) return undefined;
  const keys = [...new Set([...Object.keys(old.data), ...Object.keys(fresh.data)])];
  const changes = keys
    .filter((key) => !jsonEqual(old.data[key], fresh.data[key]))
    .map(
      (key): PropertyChange => ({ key, before: valueText(old.data, key), after: valueText(fresh.data, key) }),
    );
  if (changes.length === 0) return undefined;
  const blocks = [before.slice(0, old.bodyStart), after.slice(0, fresh.bodyStart)] as const;
  const firstLine = { before: lineCount(blocks[0]), after: lineCount(blocks[1]) };
  return { changes, blocks, bodies: [old.body, fresh.body] as const, firstLine };
}

function lineCount(block: string): number {
  return block.split('\n').length;
}

const LONGEST_VALUE = 300;

function valueText(data: Readonly<Record<string, unknown>>, key: string): string | undefined {
  if (!Object.hasOwn(data, key)) return undefined;
  const value = data[key];
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? String(value));
  return text.length > LONGEST_VALUE ? `${text.slice(0, LONGEST_VALUE)}…` : text;
}

function propertyView({ key, before, after }: PropertyChange): Html {
  const value = (text: string | undefined, isNew: boolean) => {
    if (text === undefined) return html`<i>none</i>`;
    return isNew ? html`<ins>${visible(text)}</ins>` : html`<del>${visible(text)}</del>`;
  };
  return html`<li><b>${visible(key)}</b>: ${value(before, false)} → ${value(after, true)}</li>`;
}

function linesView({ sections, remarks }: TextDiff): Html {
  const views = sections.map((section) =>
    section.kind === 'unchanged' ? foldView(section) : tableOf(section),
  );
  return html`${remarks.map((remark) => html`<p class="remark">${remark}</p>`)}${views}`;
}

function foldView({ lines, omitted }: DiffSection): Html {
  const count = lines.length + omitted;
  const words = `${count} unchanged ${count === 1 ? 'line' : 'lines'}`;
  if (lines.length === 0) return html`<p class="remark">${words}, not shown</p>`;
  return html`<details class="fold"><summary>${words}</summary>${tableOf({ lines, omitted })}</details>`;
}

function tableOf({ lines, omitted }: Pick<DiffSection, 'lines' | 'omitted'>): Html {
  return html`<table><tbody>${lines.map(lineView)}</tbody></table>${
    omitted > 0 &&
    html`<p class="remark">${omitted} more ${omitted === 1 ? 'line is' : 'lines are'} not shown.</p>`
  }`;
}

const SIGNS = { same: '', added: '+', removed: '−' };

function lineView({ kind, before, after, parts }: DiffLine): Html {
  const cell = (number: number | undefined) => html`<td class="number">${number ?? ''}</td>`;
  const text = parts.map(({ text: part, isChanged }) =>
    isChanged ? html`<mark>${visible(part)}</mark>` : html`${visible(shortened({ text: part, isChanged }))}`,
  );
  return html`<tr class="${kind}">${cell(before)}${cell(after)}<td class="sign">${SIGNS[kind]}</td><td class="text">${text}</td></tr>
`;
}

const LONGEST_PART = 4_000;
const SHOWN_OF_LONG = 1_000;

/** A paragraph may be one line of a megabyte. */
function shortened({ text }: DiffPart): string {
  if (text.length <= LONGEST_PART) return text;
  const left = (text.length - 2 * SHOWN_OF_LONG).toLocaleString('en');
  return `${text.slice(0, SHOWN_OF_LONG)} … ${left} more characters … ${text.slice(-SHOWN_OF_LONG)}`;
}

/** Control characters and those that turn the reading direction, which would hide what a text says. */
const INVISIBLE = /(?![\t\u200c\u200d])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;

function visible(text: string): Html {
  if (!INVISIBLE.test(text)) return html`${text}`;
  const pieces = text.split(new RegExp(`(${INVISIBLE.source})`, 'u'));
  return html`${pieces.map((piece, at) => (at % 2 === 0 ? html`${piece}` : html`<span class="invisible">${codeOf(piece)}</span>`))}`;
}

function codeOf(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
}
