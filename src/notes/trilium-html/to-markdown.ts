/**
 * The HTML of a text note as markdown, as Trilium's own conversion writes it, with one promise more: `toHtml` of it is
 * the same HTML again, up to what `canonical` calls the same. The promise is kept by trying: what does not come
 * back as it was stays HTML, a block at a time.
 *
 * Loads the markdown parser: reach it through `await import('./to-markdown.ts')`.
 */
import { canonical } from './canonical.ts';
import { itemsOfSection } from './footnotes.ts';
import { fromMarkdown } from './from-markdown.ts';
import { parseHtml } from './parse.ts';
import { serialize } from './serialize.ts';
import { isElement, type Node, segments } from './tree.ts';
import { writeBlocks } from './write/blocks.ts';
import { writeInline } from './write/inline.ts';
import { rawBlock } from './write/raw.ts';

const NONE: ReadonlySet<string> = new Set();

export function toMarkdown(html: string): string {
  const tree = canonical(parseHtml(html));
  const wanted = fingerprint(tree);
  for (const write of [writeWhole, writeTested, writeRaw]) {
    const markdown = write(tree).join('\n\n');
    if (write === writeRaw || comesBack(markdown, wanted)) return markdown;
  }
  return '';
}

function writeWhole(tree: readonly Node[]): string[] {
  const sections = tree.filter((node) => isElement(node)).map(itemsOfSection);
  const labels = sections.flatMap((items) => items ?? []).map(({ label }) => label);
  return writeBlocks(tree, { footnotes: new Set(labels), depth: 0 });
}

/** Each block on its own; without footnotes, whose two halves stand in different blocks. */
function writeTested(tree: readonly Node[]): string[] {
  const blocks = segments(tree);
  return writeBlocks(tree, { footnotes: NONE, depth: 0 }).map((markdown, index) => {
    const block = blocks[index]!;
    if (Array.isArray(block)) return markdown;
    return comesBack(markdown, fingerprint([block])) ? markdown : rawBlock(block, false);
  });
}

function writeRaw(tree: readonly Node[]): string[] {
  return segments(tree).map((block) =>
    Array.isArray(block) ? writeInline(block, { footnotes: NONE }) : rawBlock(block, false),
  );
}

function comesBack(markdown: string, wanted: string): boolean {
  return fingerprint(canonical(fromMarkdown(markdown))) === wanted;
}

/** Equal for trees that differ in the order of attributes only. */
function fingerprint(tree: readonly Node[]): string {
  return serialize(tree, { sorted: true });
}
