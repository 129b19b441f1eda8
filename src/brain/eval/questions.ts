/**
 * A test set made from people's own notes: questions, each with the one note that answers it. A question is the sentence
 * around a link, a heading, or a title. Its own words would give the note away, so they are left out where it is looked
 * for: the name of the link in the question, the heading or the title in the note. The same notes give the same set.
 */
import { createHash } from 'node:crypto';
import { splitFrontmatter } from '../../notes/frontmatter/split.ts';
import { createLinkResolver } from '../../notes/links/resolve.ts';
import { scanLinks } from '../../notes/links/scan.ts';
import { outlineOf } from '../../notes/markdown/outline.ts';
import { extensionOf, joinPath, type NotePath, parentOf, stemOf } from '../../notes/path.ts';
import { contentWords } from '../../notes/text/analyzer.ts';
import { isMarkdown, type SourceNote } from '../types.ts';
import { linkSentence } from './link-sentence.ts';

export type QuestionKind = 'link' | 'heading' | 'title';

export interface TestQuestion {
  readonly kind: QuestionKind;
  readonly text: string;
  /** The path of the note that answers it. */
  readonly answer: string;
  /** Notes that link to the answer. They may say what the question says, so they are neither right nor wrong. */
  readonly aside: ReadonlySet<string>;
}

export interface TestNote {
  readonly path: string;
  readonly text: string;
}

export interface TestSet {
  readonly questions: readonly TestQuestion[];
  /** The notes to look in, without what questions were made from. */
  readonly notes: readonly TestNote[];
}

interface TestSetOptions {
  readonly most?: number;
  /** Questions made from links leave all notes as they are. Default: all kinds. */
  readonly kinds?: readonly QuestionKind[];
}

const MOST_QUESTIONS = 300;
const KINDS: readonly QuestionKind[] = ['link', 'heading', 'title'];
/** "Notes" alone is no question, and neither is "See also". */
const FEWEST_WORDS = 2;
const FEWEST_WORDS_AROUND_LINK = 4;
/** A word of more titles, or more notes' headings, than this and than this share of them does not tell one from another. */
const COMMON = { count: 2, share: 0.02 };
/** A note must say something beside what the question was made from. */
const FEWEST_CHARACTERS = 100;

/** A question that could be asked for a note, and the note as it is then. */
interface Candidate {
  readonly text: string;
  readonly note: TestNote;
}

/** In an order that has nothing to do with names and dates, and is the same each time. */
export function shuffled<Item>(items: readonly Item[], keyOf: (item: Item) => string): Item[] {
  return items
    .map((item) => ({ item, place: createHash('sha256').update(keyOf(item)).digest('hex') }))
    .sort((a, b) => (a.place < b.place ? -1 : 1))
    .map(({ item }) => item);
}

/** One question for a note at most; all kinds about as often, where the notes allow it. */
export function testSetOf(
  notes: readonly SourceNote[],
  { most = MOST_QUESTIONS, kinds = KINDS }: TestSetOptions = {},
): TestSet {
  const links = linksBetween(notes);
  const makers = makersFor(notes, links);
  const counts = new Map(kinds.map((kind) => [kind, 0]));
  const changed = new Map<string, TestNote>();
  const asked: (Omit<TestQuestion, 'aside'> & { readonly source: string })[] = [];
  for (const note of shuffled(notes, ({ sourcePath }) => sourcePath)) {
    if (asked.length >= most) break;
    const rarest = [...counts].sort(([, a], [, b]) => a - b).map(([kind]) => kind);
    for (const kind of rarest) {
      const candidate = makers[kind](note);
      if (!candidate || candidate.note.text.trim().length < FEWEST_CHARACTERS) continue;
      counts.set(kind, (counts.get(kind) ?? 0) + 1);
      changed.set(note.sourcePath, candidate.note);
      asked.push({ kind, text: candidate.text, answer: candidate.note.path, source: note.sourcePath });
      break;
    }
  }
  const pathNow = (path: string) => changed.get(path)?.path ?? path;
  return {
    questions: asked.map(({ source, ...question }) => ({
      ...question,
      aside: new Set((links.get(source) ?? []).map(({ from }) => pathNow(from))),
    })),
    notes: notes.map((note) => changed.get(note.sourcePath) ?? asItIs(note)),
  };
}

interface IncomingLink {
  readonly from: string;
  /** What the sentence around it says beside the link; empty for a link alone. */
  readonly sentence: string;
}

/** By the path of the note that they lead to. */
function linksBetween(notes: readonly SourceNote[]): Map<string, IncomingLink[]> {
  const resolver = createLinkResolver(notes.map(({ sourcePath }) => sourcePath as NotePath));
  const links = new Map<string, IncomingLink[]>();
  for (const { sourcePath: from, text } of notes) {
    if (!isMarkdown(from)) continue;
    for (const link of scanLinks(text)) {
      const to = link.embed ? undefined : resolver.resolve(link, from as NotePath);
      if (to === undefined || to === from) continue;
      const incoming = links.get(to) ?? [];
      links.set(to, incoming);
      incoming.push({ from, sentence: linkSentence(text, link) });
    }
  }
  return links;
}

function makersFor(
  notes: readonly SourceNote[],
  links: ReadonlyMap<string, readonly IncomingLink[]>,
): Record<QuestionKind, (note: SourceNote) => Candidate | undefined> {
  const isTellingTitle = createTelling(notes.map(({ title }) => [title]));
  const isTellingHeading = createTelling(notes.map((note) => headingsOf(note).map(({ text }) => text)));
  return {
    link(note) {
      const name = `${note.title} ${stemOf(note.sourcePath)}`;
      const sentences = (links.get(note.sourcePath) ?? []).map(({ sentence }) => sentence);
      const telling = sentences.filter(
        (sentence) => wordsBeside(sentence, name).length >= FEWEST_WORDS_AROUND_LINK,
      );
      const [text] = shuffled(telling, (sentence) => sentence);
      return text === undefined ? undefined : { text, note: asItIs(note) };
    },
    heading(note) {
      const { sourcePath: path, title } = note;
      const telling = headingsOf(note).filter(({ text }) => isTellingHeading(text, `${title} ${path}`));
      const [chosen] = shuffled(telling, ({ text }) => text);
      return chosen && { text: chosen.text, note: { path, text: withoutLine(note.text, chosen.start) } };
    },
    title(note) {
      if (!isTellingTitle(note.title, '')) return undefined;
      return { text: note.title, note: { path: namelessPath(note.sourcePath), text: untitled(note) } };
    },
  };
}

/**
 * Tells names apart, given those of each note: whether one has words, beside those of `other`, that few notes have in
 * theirs, and no other name has the same words.
 */
function createTelling(named: readonly (readonly string[])[]) {
  const keys = countsOf(named.flat().map(keyOf));
  const uses = countsOf(named.flatMap((names) => wordsBeside(names.join('\n'), '')));
  const most = Math.max(COMMON.count, COMMON.share * named.length);
  return (name: string, other: string): boolean => {
    const rare = wordsBeside(name, other).filter((word) => (uses.get(word) ?? 0) <= most);
    return rare.length >= FEWEST_WORDS && keys.get(keyOf(name)) === 1;
  };
}

function countsOf(items: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const item of items) counts.set(item, (counts.get(item) ?? 0) + 1);
  return counts;
}

/** The words of a text that carry meaning and are not in `other`, each once. Dates and numbers say too little. */
function wordsBeside(text: string, other: string): string[] {
  const others = new Set(contentWords(other));
  const words = contentWords(text).filter((word) => /\p{L}/u.test(word) && !others.has(word));
  return [...new Set(words)];
}

function asItIs({ sourcePath, text }: SourceNote): TestNote {
  return { path: sourcePath, text };
}

/** A key that is the same for names of the same words. */
function keyOf(name: string): string {
  return wordsBeside(name, '').sort().join(' ');
}

function headingsOf({ sourcePath, text }: SourceNote) {
  return isMarkdown(sourcePath) ? outlineOf(text) : [];
}

function withoutLine(text: string, start: number): string {
  const end = text.indexOf('\n', start);
  return end < 0 ? text.slice(0, start) : text.slice(0, start) + text.slice(end + 1);
}

/** In the same folder, under a name that no question has a word of. */
function namelessPath(path: string): string {
  const name = createHash('sha256').update(path).digest('hex').slice(0, 12);
  return joinPath(parentOf(path as NotePath), `${name}${extensionOf(path)}`);
}

const NAMES = /^(?:title|alias|aliases)[ \t]*:.*\r?\n(?:(?:[ \t]+|- ).*\r?\n)*/gim;

/** Without the headings that repeat the title, and without title and aliases in the frontmatter. */
function untitled(note: SourceNote): string {
  const key = keyOf(note.title);
  const repeated = headingsOf(note).filter(({ text }) => keyOf(text) === key);
  const text = repeated.reduceRight((rest, { start }) => withoutLine(rest, start), note.text);
  const frontmatter = splitFrontmatter(text);
  if (!frontmatter) return text;
  const { yamlStart, yamlEnd } = frontmatter;
  return text.slice(0, yamlStart) + text.slice(yamlStart, yamlEnd).replace(NAMES, '') + text.slice(yamlEnd);
}
