/** The text of a note with its frontmatter: Trilium keeps the text as HTML and the frontmatter as labels. */
import { createHash } from 'node:crypto';
import { parseFrontmatter } from '../../../notes/frontmatter/parse.ts';
import { printPair } from '../../../notes/frontmatter/print.ts';
import { splitFrontmatter } from '../../../notes/frontmatter/split.ts';
import { AppError } from '../../../shared/errors.ts';
import { ownAttributes } from '../attributes.ts';
import { isMarkdown } from '../names.ts';
import type { Attribute, TriliumNote } from '../wire/entities.ts';
import { fieldsOf, isReserved, type Label, labelsFor } from './label-fields.ts';

export interface LabelledText {
  readonly labels: readonly Label[];
  /** Markdown. */
  readonly body: string;
}

/** The labels that form a note's frontmatter, in order; empty for notes other than text notes. */
export function frontmatterLabels(note: TriliumNote): Attribute[] {
  if (!isMarkdown(note)) return [];
  return ownAttributes(note)
    .filter(({ type, name }) => type === 'label' && !isReserved(name))
    .sort((a, b) => a.position - b.position);
}

export function withFrontmatter(note: TriliumNote, body: string): string {
  const fields = Object.entries(fieldsOf(frontmatterLabels(note)));
  // A rule on the first line must not be read as frontmatter, which is in the labels.
  if (fields.length === 0) return splitFrontmatter(body) ? body.replace('---', '***') : body;
  const lines = fields.flatMap(([key, value]) => printPair(key, value, { column: 0 }));
  return `---\n${lines.join('\n')}\n---\n${body}`;
}

/** Throws for frontmatter that is invalid or that labels cannot hold, before anything is sent. */
export async function readLabelledText(text: string): Promise<LabelledText> {
  const { data, body, problem } = await parseFrontmatter(text);
  if (problem !== undefined) throw unreadable(problem);
  const span = splitFrontmatter(text);
  if (span && (await holdsComment(text.slice(span.yamlStart, span.yamlEnd))))
    throw new AppError('unsupported', 'The frontmatter holds a comment', {
      hint: 'Trilium keeps frontmatter as labels, which have no comments. Leave it out, or make it a key. Nothing was written.',
    });
  return { labels: labelsFor(data), body: span ? body.replace(/^(?:[ \t]*\r?\n)+/, '') : text };
}

async function holdsComment(yaml: string): Promise<boolean> {
  return yaml.includes('#') && (await import('../../../notes/frontmatter/yaml.ts')).hasComment(yaml);
}

/** The version covers the text and the frontmatter labels. */
export function versionOf(note: TriliumNote): string {
  const labels = frontmatterLabels(note);
  return labels.length === 0 ? note.blobId : `${note.blobId}-${digest(labels).toString('hex').slice(0, 16)}`;
}

/**
 * Modification time in milliseconds. Trilium does not count a label as a change of its note, and a removed label
 * leaves no trace, so the newest label counts, and a hash of the labels adds up to a second.
 */
export function changedAt(note: TriliumNote): number {
  const labels = frontmatterLabels(note);
  const newest = Math.max(...[note, ...labels].map(({ utcDateModified }) => millisecondsOf(utcDateModified)));
  return labels.length === 0 ? newest : newest + (digest(labels).readUInt32BE(0) % 1_000);
}

function millisecondsOf(date: string): number {
  return Date.parse(date.replace(' ', 'T'));
}

function digest(labels: readonly Label[]): Buffer {
  return createHash('sha256')
    .update(JSON.stringify(labels.map(({ name, value }) => [name, value])))
    .digest();
}

function unreadable(problem: string): AppError {
  return new AppError('invalid_input', 'Invalid frontmatter', {
    subject: problem,
    hint: 'Correct the block between the --- lines. Nothing was written.',
  });
}
