/** The markdown parser, with all rules of ours. */
import createMarkdownIt, { type MarkdownIt } from 'markdown-it';
import { makeLean } from './lean-parser.ts';
import { admonitions } from './rules/admonitions.ts';
import { bounds } from './rules/bounds.ts';
import { footnotes } from './rules/footnotes.ts';
import { formulas } from './rules/formulas.ts';
import { headingsBelowTitle } from './rules/headings.ts';
import { highlights } from './rules/highlights.ts';
import { taskLists } from './rules/task-lists.ts';
import { wikilinks } from './rules/wikilinks.ts';

const RULES = [
  bounds,
  admonitions,
  taskLists,
  formulas,
  highlights,
  wikilinks,
  footnotes,
  headingsBelowTitle,
];

export function createMarkdownParser(): MarkdownIt {
  const md = createMarkdownIt({ html: true, linkify: true });
  md.use(makeLean);
  for (const rule of RULES) md.use(rule);
  // As in GitHub's markdown, an address is a link if it says how to get there.
  md.linkify.set({ fuzzyLink: false, fuzzyEmail: false, fuzzyIP: false });
  md.linkify.add('//', null);
  // Addresses are judged in the tree, and stay as they were written.
  md.validateLink = () => true;
  md.normalizeLink = (url) => url;
  md.normalizeLinkText = (url) => url;
  return md;
}
