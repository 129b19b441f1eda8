/**
 * Reads a note's frontmatter as JSON values. Never throws: a block that cannot be read gives no data, says why
 * in `problem`, and leaves the whole text as the body, so that nothing is hidden from the reader.
 */
import { BOM } from '../text.ts';
import { readPlainBlock } from './plain-block.ts';
import { splitFrontmatter } from './split.ts';

export interface ParsedNote {
  readonly data: Record<string, unknown>;
  readonly body: string;
  /** Where `body` starts in the text. */
  readonly bodyStart: number;
  /** What is wrong with the block, and in which line of the note. */
  readonly problem?: string;
}

export async function parseFrontmatter(text: string): Promise<ParsedNote> {
  const span = splitFrontmatter(text);
  if (!span) {
    const bodyStart = text.startsWith(BOM) ? 1 : 0;
    return { data: {}, body: text.slice(bodyStart), bodyStart };
  }
  const plain = readPlainBlock(text.slice(span.yamlStart, span.yamlEnd));
  if (plain) return { data: plain, body: text.slice(span.bodyStart), bodyStart: span.bodyStart };
  const { parseBlock } = await import('./yaml.ts');
  const block = parseBlock(text.slice(span.bom ? 1 : 0, span.yamlEnd));
  if ('problem' in block) return { data: {}, body: text, bodyStart: 0, problem: block.problem };
  return { data: block.data, body: text.slice(span.bodyStart), bodyStart: span.bodyStart };
}
