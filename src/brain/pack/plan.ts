/** First steps that follow from what a pack holds. Each names nothing that is not in it. */
import type { ContextPack } from './types.ts';

type Found = Pick<ContextPack, 'preferences' | 'relevantFacts' | 'priorDecisions' | 'openLoops'>;

const MOST_LOOPS = 3;
const MAX_NAMED = 120;

export function suggestedPlan({ preferences, relevantFacts, priorDecisions, openLoops }: Found): string[] {
  const [fact] = relevantFacts;
  const [decision] = priorDecisions;
  return [
    ...(preferences.length > 0 ? ['Keep to the preferences.'] : []),
    ...(fact ? [`Read ${fact.path} first.`] : []),
    ...(decision ? [`Build on what was decided: ${named(decision.title)} [${decision.citation}]`] : []),
    ...openLoops.slice(0, MOST_LOOPS).map(({ text, citation }) => `Take up: ${named(text)} [${citation}]`),
  ];
}

function named(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length <= MAX_NAMED ? line : `${line.slice(0, MAX_NAMED - 1).toWellFormed()}…`;
}
