/**
 * Builds a context pack: what an agent should know for an intent, within a token budget, every item with its citation.
 * No model is used: equal notes and requests give equal packs, apart from ids and times.
 */
import type { SearchOptions } from '../../notes/searcher.ts';
import { AppError } from '../../shared/errors.ts';
import { type SearchScope, snakeCased } from '../types.ts';
import { fitPack } from './fit.ts';
import { focusOf } from './focus.ts';
import { type NamedPerson, namedPeople, peopleNotes } from './people.ts';
import { findPreferences, type PreferenceParts } from './preferences.ts';
import { type Finding, relevantTo } from './relevance.ts';
import { packMarkdown } from './render.ts';
import type { ContextPack, FoundDecision, FoundLoop, PackPart } from './types.ts';

export interface PackParts extends PreferenceParts {
  readonly decisions: (request: FindRequest) => Promise<readonly FoundDecision[]>;
  readonly openLoops: (request: FindRequest) => Promise<readonly FoundLoop[]>;
  /** Names of the tools that the agent may use. */
  readonly allowedActions: readonly string[];
  readonly policyControls: ContextPack['policyControls'];
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Generates a ULID. */
  readonly newId: () => string;
}

interface FindRequest {
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

const CONSTRAINTS = ['local_first', 'cite_sources'];
const MOST_FACTS = 40;
/** How many findings of one kind are looked at; those that have little to do with the intent are left out of them. */
const MOST_FOUND = 200;
const MAX_TEXT = 800;

/** `text` is the pack in the requested format. */
export async function buildPack(
  parts: PackParts,
  request: PackRequest,
  options?: SearchOptions,
): Promise<{ readonly pack: ContextPack; readonly text: string }> {
  const intent = request.intent.trim();
  if (intent === '')
    throw new AppError('invalid_input', 'No intent', { hint: 'Say in a few words what the pack is for.' });
  const lookups = { facts, decisions, open_loops: openLoops, preferences };
  const { names, subject } = focusOf(intent);
  const notes = await peopleNotes(parts, names, options);
  const wanted = {
    intent: withOtherNames(intent, namedPeople(names, notes, [])),
    scope: request.scope,
    limit: MOST_FOUND,
  };
  const findings: Finding[] = [];
  for (const part of new Set(request.include))
    findings.push(...(await lookups[part](parts, wanted, options)));
  const owners = findings.flatMap((one) => (one.part === 'open_loops' ? (one.owner ?? []) : []));
  const people = namedPeople(names, notes, owners);
  const { items, belowFloor } = relevantTo({ intent, subject, people }, findings);
  const textOf = request.format === 'markdown' ? packMarkdown : packJson;
  const pack = fitPack({
    header: {
      schemaVersion: 'context_pack.v2',
      packId: `cp_${parts.newId()}`,
      createdAt: new Date(parts.now()).toISOString(),
      intent,
      constraints: CONSTRAINTS,
      allowedActions: parts.allowedActions,
      policyControls: parts.policyControls,
    },
    items,
    belowFloor,
    budget: request.tokenBudget,
    // The structured content is sent in either format.
    lengthOf: (one) => Math.max(packJson(one).length, textOf(one).length),
  });
  return { pack, text: textOf(pack) };
}

/** So that what is written about somebody by another name is found. */
function withOtherNames(intent: string, people: readonly NamedPerson[]): string {
  const others = people.flatMap(({ name, names }) => names.filter((one) => one !== name));
  return [intent, ...others].join(' ');
}

function packJson(pack: ContextPack): string {
  return JSON.stringify(snakeCased(pack));
}

type Lookup = (parts: PackParts, request: FindRequest, options?: SearchOptions) => Promise<Finding[]>;

const facts: Lookup = async ({ retriever, cite }, { intent, scope }, options) => {
  const request = { query: intent, limit: MOST_FACTS, mode: 'hybrid', scope } as const;
  const { passages } = await retriever.retrieve(request, options);
  return passages.flatMap((source) => {
    const text = shortened(source.passage.text.trim());
    const { score, cosine } = source;
    return text === '' ? [] : [{ part: 'facts', text, score, cosine, citation: cite(source, intent) }];
  });
};

const decisions: Lookup = async (parts, request) =>
  (await parts.decisions(request)).slice(0, MOST_FOUND).map((found) => ({
    ...found,
    part: 'decisions',
    title: shortened(found.title),
    decision: shortened(found.decision),
    score: 0.2,
  }));

const openLoops: Lookup = async (parts, request) =>
  (await parts.openLoops(request)).slice(0, MOST_FOUND).map((found) => ({
    ...found,
    part: 'open_loops',
    text: shortened(found.text),
    score: 0.1,
  }));

const preferences: Lookup = async (parts, { scope }, options) =>
  (await findPreferences(parts, scope, options)).slice(0, MOST_FOUND).map(({ text, citation }) => ({
    part: 'preferences',
    text: shortened(text),
    score: 0.5,
    citation,
  }));

function shortened(text: string): string {
  return text.length <= MAX_TEXT
    ? text
    : `${text
        .slice(0, MAX_TEXT - 1)
        .toWellFormed()
        .trimEnd()}…`;
}
