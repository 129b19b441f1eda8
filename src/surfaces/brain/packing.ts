/** A context pack from all the other parts of the second brain. */
import { citationsIn } from '../../brain/citation.ts';
import { createCite } from '../../brain/cite.ts';
import type { FoundDecision, FoundLoop } from '../../brain/pack/types.ts';
import { buildPack, type FindRequest, type PackedContext, type PackRequest } from '../../brain/pack.ts';
import type { Library, Retriever } from '../../brain/types.ts';
import type { Asking } from '../../notes/searcher.ts';
import type { BrainBackend } from './backend.ts';

export interface PackingParts {
  readonly library: Library;
  readonly retriever: Retriever;
  readonly extraction: Pick<BrainBackend, 'openLoops' | 'decisions'>;
  readonly allowedActions: readonly string[];
  readonly now: () => number;
  readonly newId: () => string;
}

const POLICY = { notes_are_data: true, network: false, writes_need_the_user: true };

export function pack(parts: PackingParts, request: PackRequest, asking: Asking): Promise<PackedContext> {
  const { library, retriever, extraction, allowedActions, now, newId } = parts;
  const retrievedAt = new Date(now()).toISOString();
  return buildPack(
    {
      library,
      retriever,
      cite: createCite(retrievedAt),
      citeAt: (note, span) => citationsIn(note)(span, { index: 0, score: 1, retrievedAt }),
      decisions: (wanted) => decisionsFor(extraction, wanted, asking),
      openLoops: (wanted) => loopsFor(extraction, wanted, asking),
      allowedActions,
      policyControls: POLICY,
      now,
      newId,
    },
    request,
    asking,
  );
}

async function decisionsFor(
  { decisions }: PackingParts['extraction'],
  { intent, scope, limit }: FindRequest,
  asking: Asking,
): Promise<FoundDecision[]> {
  const request = { query: intent, scope, limit, includeLowConfidence: false };
  const found = (await decisions(request, asking)).decisions as readonly FoundDecision[];
  return found.map(({ title, decision, status, date, citation }) => ({
    title,
    decision,
    status,
    citation,
    ...(date && { date }),
  }));
}

async function loopsFor(
  { openLoops }: PackingParts['extraction'],
  { scope, limit }: FindRequest,
  asking: Asking,
): Promise<FoundLoop[]> {
  const found = (await openLoops({ scope, status: 'open', limit }, asking)).loops as readonly FoundLoop[];
  return found.map(({ id, kind, text, owner, due, citation }) => ({
    id,
    kind,
    text,
    citation,
    ...(owner && { owner }),
    ...(due && { due }),
  }));
}
