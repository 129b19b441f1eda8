/**
 * A context pack: what an agent should know before it starts, within a budget of tokens, every line with its source.
 * No model has a part in it: the same notes and the same words give the same pack, but for its id and its times.
 */
import type { SearchOptions } from '../../notes/searcher.ts';
import { contentWords, shareOf } from '../../notes/text/analyzer.ts';
import { AppError } from '../../shared/errors.ts';
import { readingText } from '../answer/sentences.ts';
import { type SearchScope, snakeCased } from '../types.ts';
import { fitPack, type PackItem } from './fit.ts';
import { findPreferences, type PreferenceParts } from './preferences.ts';
import { packMarkdown, suggestedPlan } from './render.ts';
import type { ContextPack, FoundDecision, FoundLoop, PackPart } from './types.ts';

export interface PackParts extends PreferenceParts {
  readonly decisions: (request: FindRequest, asking?: SearchOptions) => Promise<readonly FoundDecision[]>;
  readonly openLoops: (request: FindRequest, asking?: SearchOptions) => Promise<readonly FoundLoop[]>;
  /** What the agent may do with the pack here: names of tools. */
  readonly allowedActions: readonly string[];
  readonly policyControls: ContextPack['policyControls'];
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Makes a ULID. */
  readonly newId: () => string;
}

export interface FindRequest {
  readonly intent: string;
  readonly scope: SearchScope;
  readonly limit: number;
}

export interface PackRequest {
  readonly intent: string;
  readonly tokenBudget: number;
  readonly include: readonly PackPart[];
  readonly scope: SearchScope;
  readonly format: 'json' | 'markdown';
}

export interface PackedContext {
  readonly pack: ContextPack;
  /** The pack in the format that was asked for. */
  readonly text: string;
}

const CONSTRAINTS = ['local_first', 'cite_sources'];
const MOST_FACTS = 40;
const MOST_FOUND = 50;
const MAX_TEXT = 800;

export async function buildPack(
  parts: PackParts,
  request: PackRequest,
  asking?: SearchOptions,
): Promise<PackedContext> {
  const intent = request.intent.trim();
  if (intent === '')
    throw new AppError('invalid_input', 'No intent', { hint: 'Say in a few words what the pack is for.' });
  const lookups = { facts, decisions, open_loops: openLoops, preferences };
  const findings: PackItem[] = [];
  for (const part of new Set(request.include))
    findings.push(
      ...(await lookups[part](parts, { intent, scope: request.scope, limit: MOST_FOUND }, asking)),
    );
  const textOf = request.format === 'markdown' ? packMarkdown : packJson;
  const pack = fitPack({
    frame: {
      schemaVersion: 'context_pack.v2',
      packId: `cp_${parts.newId()}`,
      createdAt: new Date(parts.now()).toISOString(),
      intent,
      constraints: CONSTRAINTS,
      allowedActions: parts.allowedActions,
      policyControls: parts.policyControls,
    },
    findings,
    budget: request.tokenBudget,
    planFor: suggestedPlan,
    // As data it always goes out, whatever it is read as.
    lengthOf: (one) => Math.max(packJson(one).length, textOf(one).length),
  });
  return { pack, text: textOf(pack) };
}

function packJson(pack: ContextPack): string {
  return JSON.stringify(snakeCased(pack));
}

type Lookup = (parts: PackParts, request: FindRequest, asking?: SearchOptions) => Promise<PackItem[]>;

const facts: Lookup = async ({ retriever, cite }, { intent, scope }, asking) => {
  const request = { query: intent, limit: MOST_FACTS, mode: 'hybrid', scope } as const;
  const { passages } = await retriever.retrieve(request, asking);
  return passages.flatMap((source) => {
    const text = shortened(source.passage.text.trim());
    return text === '' ? [] : [{ part: 'facts', text, score: source.score, citation: cite(source, intent) }];
  });
};

const decisions: Lookup = async (parts, request, asking) =>
  (await parts.decisions(request, asking)).slice(0, MOST_FOUND).map((found) => ({
    ...found,
    part: 'decisions',
    title: shortened(found.title),
    decision: shortened(found.decision),
    score: relevance(request.intent, `${found.title} ${found.decision}`, 0.2),
  }));

const openLoops: Lookup = async (parts, request, asking) =>
  (await parts.openLoops(request, asking)).slice(0, MOST_FOUND).map((found) => ({
    ...found,
    part: 'open_loops',
    text: shortened(found.text),
    score: relevance(request.intent, found.text, 0.1),
  }));

const preferences: Lookup = async (parts, { intent, scope }, asking) =>
  (await findPreferences(parts, scope, asking)).slice(0, MOST_FOUND).map(({ text, citation }) => ({
    part: 'preferences',
    text: shortened(text),
    score: relevance(intent, text, 0.5),
    citation,
  }));

/** From `least`, for what has nothing of the intent, to 1. */
function relevance(intent: string, text: string, least: number): number {
  return least + (1 - least) * shareOf(contentWords(intent), new Set(contentWords(readingText(text))));
}

function shortened(text: string): string {
  return text.length <= MAX_TEXT
    ? text
    : `${text
        .slice(0, MAX_TEXT - 1)
        .toWellFormed()
        .trimEnd()}…`;
}
