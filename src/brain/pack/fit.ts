/**
 * Fits a pack into its token budget: the items with the lowest scores, of all parts together, are dropped until the
 * serialized pack is within it.
 */
import { AppError } from '../../shared/errors.ts';
import type { Citation } from '../types.ts';
import { suggestedPlan } from './render.ts';
import type { ContextPack, FoundDecision, FoundLoop, FoundText, LooseCitation, PackPart } from './types.ts';

type Scored<Part extends PackPart, Found> = Found & { readonly part: Part; readonly score: number };

export type PackItem =
  | Scored<'facts', FoundText>
  | Scored<'preferences', FoundText>
  | Scored<'decisions', FoundDecision>
  | Scored<'open_loops', FoundLoop>;

/** The fields of a pack that the budget does not touch. */
type PackHeader = Pick<
  ContextPack,
  'schemaVersion' | 'packId' | 'createdAt' | 'intent' | 'constraints' | 'allowedActions' | 'policyControls'
>;

interface PackDraft {
  readonly header: PackHeader;
  readonly items: readonly PackItem[];
  /** Number of findings that were left out before. */
  readonly belowFloor: number;
  readonly budget: number;
  /** Length of the serialized pack in characters. */
  readonly lengthOf: (pack: ContextPack) => number;
}

const CHARACTERS_PER_TOKEN = 4;

export function fitPack(draft: PackDraft): ContextPack {
  const ordered = [...draft.items].sort(byScore);
  for (let kept = ordered.length; kept >= 0; kept--) {
    const pack = measured(draft, ordered.slice(0, kept));
    if (pack.budgetReport.used <= draft.budget) return pack;
  }
  throw new AppError('invalid_input', 'The token budget is too small for the intent', {
    hint: `Give a token_budget of at least ${measured(draft, []).budgetReport.used}, or put the intent in fewer words.`,
  });
}

const PARTS = ['preferences', 'decisions', 'facts', 'open_loops'] as const;

/** Best first, with a deterministic order of equals. */
function byScore(a: PackItem, b: PackItem): number {
  const [x, y] = [a.citation, b.citation];
  return (
    b.score - a.score ||
    PARTS.indexOf(a.part) - PARTS.indexOf(b.part) ||
    compare(x.sourcePath, y.sourcePath) ||
    x.lineStart - y.lineStart ||
    compare(JSON.stringify({ ...a, citation: x.textSpan }), JSON.stringify({ ...b, citation: y.textSpan }))
  );
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** The report is part of what it measures, so it is computed until it is stable. */
function measured(draft: PackDraft, kept: readonly PackItem[]): ContextPack {
  const dropped = draft.items.length - kept.length;
  const filled = filledPack(draft, kept);
  let used = 0;
  for (let round = 0; round < 4; round++) {
    const { budget, belowFloor } = draft;
    const budgetReport = { budget, used, dropped, belowFloor, estimator: 'chars/4' } as const;
    const pack: ContextPack = { ...filled, budgetReport };
    const tokens = Math.ceil(draft.lengthOf(pack) / CHARACTERS_PER_TOKEN);
    if (tokens <= used) return pack;
    used = tokens;
  }
  throw new AppError('internal', 'A pack could not be measured');
}

function filledPack({ header }: PackDraft, kept: readonly PackItem[]): Omit<ContextPack, 'budgetReport'> {
  const { numberOf, citations } = numbering();
  const of = <Part extends PackPart>(part: Part) =>
    kept.filter((item): item is Extract<PackItem, { part: Part }> => item.part === part);
  const factFrom = ({ text, score, citation }: Scored<PackPart, FoundText>) => ({
    path: citation.sourcePath,
    anchor: citation.anchor,
    text,
    score: rounded(score),
    citation: numberOf(citation),
  });
  const cited = <T extends PackItem>({ part: _, citation, score, ...rest }: T) => ({
    ...rest,
    score: rounded(score),
    citation: numberOf(citation),
  });
  // Citations are numbered in this order.
  const found = {
    preferences: of('preferences').map(factFrom),
    relevantFacts: of('facts').map(factFrom),
    priorDecisions: of('decisions').map(cited),
    openLoops: of('open_loops').map(cited),
  };
  const { allowedActions, policyControls, ...head } = header;
  return {
    ...head,
    ...found,
    suggestedPlan: suggestedPlan(found),
    allowedActions,
    policyControls,
    citations,
  };
}

function numbering() {
  const numbers = new Map<string, number>();
  const citations: Citation[] = [];
  const numberOf = (citation: LooseCitation) => {
    const key = `${citation.chunkHash} ${citation.sourcePath} ${citation.lineStart} ${citation.textSpan}`;
    const index = numbers.get(key) ?? citations.length + 1;
    if (index > citations.length) citations.push({ ...citation, index, score: rounded(citation.score) });
    numbers.set(key, index);
    return index;
  };
  return { numberOf, citations };
}

function rounded(score: number): number {
  return Math.round(score * 1_000) / 1_000;
}
