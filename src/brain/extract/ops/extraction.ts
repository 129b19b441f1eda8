/** Extraction of open loops, decisions and meetings, with numbered citations of their evidence. */
import { createHash } from 'node:crypto';
import type { SearchOptions } from '../../../notes/searcher.ts';
import { type CitationFacts, citationsIn } from '../../answer/citations.ts';
import { readIfText } from '../../retrieve/library.ts';
import type { Citation, Library, RetrievalRequest, Retriever, SearchScope, SourceNote } from '../../types.ts';
import type { Decision, Evidence } from '../types.ts';
import { type DecisionsRequest, extractDecisions, extractMeeting, type MeetingRequest } from './extract.ts';
import { createLoopCache } from './library-scan.ts';
import { type OpenLoopsRequest, openLoops } from './open-loops.ts';

interface ExtractionParts {
  readonly library: Library;
  readonly retriever: Retriever;
  readonly now: () => number;
}

export function createExtraction({ library, retriever, now }: ExtractionParts) {
  const cache = createLoopCache();
  const citing = (options: SearchOptions, text?: string): ItemCiter =>
    createItemCiter({ library, retrievedAt: new Date(now()).toISOString(), options, text });
  return {
    async openLoops(request: OpenLoopsRequest, options: SearchOptions) {
      const found = await openLoops(library, request, { now: now(), cache, options });
      const cited = await citing(options)(found.loops);
      const { byKind, overdue } = found.counts;
      return {
        ...found,
        loops: cited.map(
          ({ created: _, owner = null, due = null, scheduled = null, priority = null, ...loop }) => {
            return { ...loop, owner, due, scheduled, priority };
          },
        ),
        counts: { byKind, overdue },
      };
    },
    /** `scope` limits the notes of `query`. */
    async decisions(
      { scope = {}, ...request }: DecisionsRequest & { readonly scope?: SearchScope },
      options: SearchOptions,
    ) {
      const retrieve = (query: string, limit: number) =>
        notesFor({ query, limit, scope, mode: 'hybrid' }, { library, retriever, options });
      const found = await extractDecisions(request, { library, retrieve, options });
      const { decisions, total } = found;
      const left = total - decisions.length;
      return {
        decisions: (await citing(options, request.text)(decisions)).map(shownDecision),
        ...(left > 0 && { warnings: [`${left} more: ask with a higher limit, since, or a narrower query.`] }),
      };
    },
    async meeting(request: MeetingRequest, options: SearchOptions) {
      const found = await extractMeeting(request, { library, options });
      const cite = citing(options, request.text);
      const { date = null, start = null, end = null } = found.meeting;
      return {
        meeting: { ...found.meeting, date, start, end },
        agenda: await cite(found.agenda),
        notesSummary: await cite(found.notesSummary),
        decisions: (await cite(found.decisions)).map(shownDecision),
        actionItems: (await cite(found.actionItems)).map(
          ({ owner = null, ownerText = null, due = null, dueText = null, ...item }) => {
            return { ...item, owner, ownerText, due, dueText };
          },
        ),
        risks: await cite(found.risks),
        questions: await cite(found.questions),
        followUps: await cite(found.followUps),
      };
    },
  };
}

function shownDecision({ date, rationale, ...decision }: CitedItem<Decision>) {
  return { ...decision, date: date ?? null, rationale: rationale ?? null };
}

/** The notes with the best matching passages. */
async function notesFor(
  request: RetrievalRequest,
  { library, retriever, options }: Omit<ExtractionParts, 'now'> & { readonly options: SearchOptions },
): Promise<SourceNote[]> {
  const { passages } = await retriever.retrieve(request, options);
  const paths = [...new Set(passages.map(({ passage }) => passage.sourcePath))];
  const notes: SourceNote[] = [];
  for (const path of paths) notes.push(await library.read(path, options));
  return notes;
}

interface ExtractedItem {
  readonly confidence: number;
  readonly evidence: Evidence;
}

type CitedItem<Item extends ExtractedItem> = Omit<Item, 'evidence'> & { readonly citation: Citation };

type ItemCiter = <Item extends ExtractedItem>(items: readonly Item[]) => Promise<CitedItem<Item>[]>;

interface CiteOptions {
  readonly library: Library;
  readonly retrievedAt: string;
  /** The text that was passed in instead of a note. */
  readonly text?: string;
  readonly options: SearchOptions;
}

/** Citation numbers continue from one list to the next. */
function createItemCiter({ library, retrievedAt, text, options }: CiteOptions): ItemCiter {
  const notes = new Map<string, Promise<CiteEvidence | undefined>>();
  let index = 0;
  const citerOf = (sourcePath: string) => {
    const known = notes.get(sourcePath);
    if (known) return known;
    const note =
      text === undefined ? readIfText(library, sourcePath, options) : Promise.resolve(asNote(text));
    const citer = note.then((read) => read && citerIn(read));
    notes.set(sourcePath, citer);
    return citer;
  };
  return async (items) => {
    const cited = [];
    for (const { evidence, ...item } of items) {
      const facts = { index: ++index, score: item.confidence, retrievedAt };
      const citer = await citerOf(evidence.sourcePath);
      cited.push({ ...item, citation: citer?.(evidence, facts) ?? plainCitation(evidence, facts) });
    }
    return cited;
  };
}

type CiteEvidence = (evidence: Evidence, facts: CitationFacts) => Citation;

function citerIn(note: SourceNote): CiteEvidence {
  const cite = citationsIn(note);
  return (evidence, facts) => {
    const { start } = evidence.span;
    // The note may have been rewritten since the extraction.
    const isThere = note.text.startsWith(evidence.textSpan, start);
    return isThere ? cite(evidence.span, facts) : plainCitation(evidence, facts);
  };
}

function plainCitation(evidence: Evidence, facts: CitationFacts): Citation {
  const { sourcePath, anchor, lineStart, lineEnd, textSpan } = evidence;
  const chunkHash = createHash('sha256').update(`${sourcePath}\n${anchor}\n${textSpan}`).digest('hex');
  return { ...facts, chunkHash, sourcePath, anchor, lineStart, lineEnd, textSpan };
}

function asNote(text: string): SourceNote {
  return { sourcePath: '', title: '', tags: [], lastModified: 0, size: text.length, text };
}
