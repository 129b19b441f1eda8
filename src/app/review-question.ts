/**
 * The question to the person at a client about a proposal: a form that shows a small change and takes the decision, or
 * a link to the review page. A form that comes back without a decision, as from a program that fills in nothing or
 * defaults, decides nothing.
 */
import type { ElicitRequest, ElicitResult } from '@modelcontextprotocol/server';
import type { Verdict } from '../history/proposal.ts';
import { describeEdit, type Proposal, type ProposedEdit } from '../history/proposal.ts';
import type { ClientAbilities } from '../mcp/request.ts';
import { printable, printableText } from '../shared/printable.ts';
import { type ProposedTexts, partsOf } from '../surfaces/history/proposal-view.ts';
import { acceptAll } from './review.ts';

export interface Question {
  readonly mode: 'form' | 'url';
  readonly request: { readonly method: 'elicitation/create'; readonly params: ElicitRequest['params'] };
}

/** Longer changes are for a page. */
const MOST_LINES = 40;
const MOST_CHARACTERS = 3_000;

interface Asking {
  readonly can?: ClientAbilities;
  /** Address of the review page. */
  readonly page?: string;
  /** Whether the client's word counts for the person's. */
  readonly mayDecide: boolean;
}

/** Undefined where the client cannot be asked, or shows the proposal in a view. */
export async function questionFor(
  proposal: Proposal,
  textsOf: (edit: number) => Promise<ProposedTexts>,
  { can, page, mayDecide }: Asking,
): Promise<Question | undefined> {
  if (!can || (can.apps && mayDecide)) return undefined;
  const diff = can.form && mayDecide ? await shortDiff(proposal, textsOf) : undefined;
  if (diff !== undefined) return questionOf('form', { ...FORM, message: `${lead(proposal)}\n\n${diff}` });
  if (!can.url || page === undefined) return undefined;
  const { id } = proposal;
  const url = `${page}?id=${id}`;
  const message = `${lead(proposal)} Decide on the review page.`;
  return questionOf('url', { mode: 'url', message, url, elicitationId: id });
}

function questionOf(mode: Question['mode'], params: ElicitRequest['params']): Question {
  return { mode, request: { method: 'elicitation/create', params } };
}

function lead({ by, notebook, edits }: Proposal): string {
  const what = edits.length === 1 ? describeEdit(edits[0] as ProposedEdit) : `change ${edits.length} notes`;
  return printable(`${by.client ?? 'An assistant'} wants to ${what}, in the notebook ${notebook}.`, 500);
}

const FORM = {
  mode: 'form' as const,
  requestedSchema: {
    type: 'object' as const,
    properties: {
      decision: {
        type: 'string' as const,
        title: 'Decision',
        description: 'What was accepted is in the history, and can be undone',
        enum: ['accept', 'reject'],
      },
      comment: {
        type: 'string' as const,
        title: 'Comment',
        description: 'For the assistant',
        maxLength: 2_000,
      },
    },
    required: ['decision'],
  },
};

async function shortDiff(
  { edits }: Proposal,
  textsOf: (edit: number) => Promise<ProposedTexts>,
): Promise<string | undefined> {
  const lines: string[] = [];
  for (const [at, edit] of edits.entries()) {
    const texts = await textsOf(at);
    const parts = partsOf(edit, texts);
    // Bytes that are no text cannot be judged in a form.
    if (parts.length === 0 && edit.kind !== 'move') return undefined;
    if (edits.length > 1) lines.push(describeEdit(edit));
    for (const { line, diff } of parts) lines.push(`Line ${line}:`, ...diff.split('\n'));
    if (lines.length > MOST_LINES) return undefined;
  }
  const text = printableText(lines.join('\n'));
  return text.length > MOST_CHARACTERS ? undefined : text;
}

/** What a person answered; undefined where they did not, or only put the question aside. */
export type GivenAnswer = 'followed' | { readonly verdictOn: (proposal: Proposal) => Verdict } | undefined;

export function answerOf(response: unknown, mode: Question['mode']): GivenAnswer {
  const { action, content = {} } = (response ?? {}) as Partial<ElicitResult>;
  if (action !== 'accept') return undefined;
  if (mode === 'url') return 'followed';
  const { decision, comment: said } = content;
  if (decision !== 'accept' && decision !== 'reject') return undefined;
  const comment = typeof said === 'string' ? said : undefined;
  return {
    verdictOn: (proposal) => {
      const all = acceptAll(proposal);
      return decision === 'accept'
        ? { accept: all, reject: [], comment }
        : { accept: new Map(), reject: [...all.keys()], comment };
    },
  };
}
