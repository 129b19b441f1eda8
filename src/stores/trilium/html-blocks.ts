/** The pieces that differences and merges of HTML are made of: blocks and lines, because Trilium writes few line breaks. */
export const HTML_BLOCK =
  /[^\n]*?(?:<\/(?:p|h[1-6]|li|pre|tr|figure|blockquote|aside|ul|ol|table)>\n?|\n)|[^\n]+$/g;

/** A line for each block. */
export function blockLines(html: string): string {
  return (html.match(HTML_BLOCK) ?? []).map((block) => block.replace(/\n?$/, '\n')).join('');
}
