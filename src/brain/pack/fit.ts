/**
 * Fits a pack into its token budget: the items with the lowest scores, of all parts together, are dropped until the
 * serialized pack is within it.
 */
import { AppError } from '../../shared/errors.ts';
import type { Citation } from '../types.ts';
import type { ContextPack, FoundDecision, FoundLoop, FoundText, LooseCitation } from './types.ts';

export type PackItem =
  | ({ readonly part: 'facts' | 'preferences' } & FoundText)
  | ({ readonly part: 'decisions'; readonly score: number } & FoundDecision)
  | ({ readonly part: 'open_loops'; readonly score: number } & FoundLoop);

/** The fields of a pack that the budget does not touch. */
type PackHeader = Pick<
  ContextPack,
  'schemaVersion' | 'packId' | 'createdAt' | 'intent' | 'constraints' | 'allowedActions' | 'policyControls'
>;

interface PackDraft {
  readonly header: PackHeader;
  readonly items: readonly PackItem[];
  readonly budget: number;
  readonly planFor: (
    pack: Pick<ContextPack, 'preferences' | 'relevantFacts' | 'priorDecisions' | 'openLoops'>,
  ) => readonly string[];
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
    const budgetReport = { budget: draft.budget, used, dropped, estimator: 'chars/4' } as const;
    const pack: ContextPack = { ...filled, budgetReport };
    const tokens = Math.ceil(draft.lengthOf(pack) / CHARACTERS_PER_TOKEN);
    if (tokens <= used) return pack;
    used = tokens;
  }
  throw new AppError('internal', 'A pack could not be measured');
}

function filledPack(
  { header, planFor }: PackDraft,
  kept: readonly PackItem[],
): Omit<ContextPack, 'budgetReport'> {
  const { numberOf, citations } = numbering();
  const of = <P extends PackItem['part']>(part: P) =>
    kept.filter((item): item is Extract<PackItem, { part: P }> => item.part === part);
  const factFrom = ({ text, score, citation }: FoundText) => ({
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
  const preferences = kept.flatMap((one) => (one.part === 'preferences' ? factFrom(one) : []));
  const relevantFacts = kept.flatMap((one) => (one.part === 'facts' ? factFrom(one) : []));
  const priorDecisions = of('decisions').map(cited);
  const openLoops = of('open_loops').map(cited);
  const { schemaVersion, packId, createdAt, intent, constraints, allowedActions, policyControls } = header;
  const found = { preferences, relevantFacts, priorDecisions, openLoops };
  return {
    ...{ schemaVersion, packId, createdAt, intent, constraints },
    ...found,
    suggestedPlan: planFor(found),
    ...{ allowedActions, policyControls, citations },
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
