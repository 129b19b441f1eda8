import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { buildPack, type PackParts, type PackRequest } from '../../src/brain/pack/pack.ts';
import { preferencesIn } from '../../src/brain/pack/preferences.ts';
import type { FoundDecision, FoundLoop } from '../../src/brain/pack/types.ts';
import { snakeCased } from '../../src/brain/types.ts';
import { looseCitation as citation, libraryOf } from '../kit/brain.ts';
import { cases } from '../kit/cases.ts';

const NOTES = {
  'bridge/plan.md':
    '# Plan\n\nThe bridge plan has three spans. Steel comes from the north.\n\n## Costs\n\nThe bridge costs 40,000 euros.\n',
  'me.md': '---\ntags: [preference]\n---\nShort answers.\nMetric units.\n',
  'style.md':
    '# Style\n\nSomething.\n\n## Preferences\n\n- Plans as lists\n- No tables\n\n## Other\n\nNot this.\n',
  'log.md': 'Walked.\n\nPREFERENCE: mornings for the bridge plan\n\nTea with milk #preference\n',
};

const DECISIONS: FoundDecision[] = [
  {
    title: 'Steel',
    decision: 'Use steel for the bridge',
    status: 'accepted',
    date: '2026-01-02',
    citation: citation('d.md', 1, 'Use steel for the bridge'),
  },
  {
    title: 'Lunch',
    decision: 'Soup on Fridays',
    status: 'accepted',
    citation: citation('d.md', 2, 'Soup on Fridays'),
  },
];
const LOOPS: FoundLoop[] = [
  {
    id: 'l1',
    kind: 'task',
    text: 'Order bolts for the bridge plan',
    owner: 'Ana',
    due: '2026-12-01',
    citation: citation('l.md', 1, 'Order bolts'),
  },
  { id: 'l2', kind: 'question', text: 'Who paints?', citation: citation('l.md', 2, 'Who paints?') },
];

let ids = 0;
function partsOver(notes: Record<string, string>, more: Partial<PackParts> = {}): PackParts {
  const { library, retriever, cite, citeAt } = libraryOf(notes);
  return {
    library,
    retriever,
    cite,
    citeAt,
    decisions: async () => DECISIONS,
    openLoops: async () => LOOPS,
    allowedActions: ['sb_recall', 'sb_ask'],
    policyControls: { readOnly: true },
    now: () => Date.UTC(2026, 10, 15) + ids,
    newId: () => String(ids++).padStart(26, '0'),
    ...more,
  };
}

const REQUEST: PackRequest = {
  intent: 'bridge plan',
  tokenBudget: 4_000,
  include: ['facts', 'decisions', 'open_loops', 'preferences'],
  scope: {},
  format: 'json',
};
const pack = async (request: Partial<PackRequest> = {}, parts = partsOver(NOTES)) =>
  buildPack(parts, { ...REQUEST, ...request });

/** All findings with their scores. */
function findingsOf({
  pack: { relevantFacts, preferences, priorDecisions, openLoops },
}: Awaited<ReturnType<typeof pack>>) {
  return [...relevantFacts, ...preferences, ...priorDecisions, ...openLoops];
}

const withoutIdAndTimes = (text: string) =>
  text
    .replace(/"pack_id":"[^"]*"/, '')
    .replace(/"(?:created_at|retrieved_at)":"[^"]*"/g, '')
    .replace(/cp_\w+, \S+Z/, '');

describe('a pack', () => {
  it('has all its parts, each finding with a citation that is there', async () => {
    const { pack: made, text } = await pack();
    expect(snakeCased(made)).toMatchObject({
      schema_version: 'context_pack.v2',
      pack_id: expect.stringMatching(/^cp_\w{26}$/),
      created_at: expect.stringMatching(/^2026-11-15T.*Z$/),
      intent: 'bridge plan',
      constraints: ['local_first', 'cite_sources'],
      allowed_actions: ['sb_recall', 'sb_ask'],
      policy_controls: { read_only: true },
      budget_report: {
        budget: 4_000,
        dropped: 0,
        below_floor: 2,
        estimator: 'chars/4',
        used: Math.ceil(text.length / 4),
      },
    });
    expect(made.relevantFacts.map(({ path, anchor }) => [path, anchor])).toContainEqual([
      'bridge/plan.md',
      'Plan',
    ]);
    expect(made.preferences.map(({ text: said }) => said).sort()).toEqual(
      [
        'Metric units.',
        'No tables',
        'Plans as lists',
        'Short answers.',
        'Tea with milk',
        'mornings for the bridge plan',
      ].sort(),
    );
    expect(made.priorDecisions.map(({ title }) => title)).toEqual(['Steel']);
    expect(made.openLoops.map(({ id }) => id)).toEqual(['l1']);
    expect(made.suggestedPlan.join(' ')).toContain('Order bolts');
    for (const { citation: number } of findingsOf({ pack: made, text }))
      expect(made.citations.find(({ index }) => index === number)).toBeDefined();
  });

  it('for a meeting with somebody begins with what is open and decided about them, and has no recipe', async () => {
    const notes = {
      'people/ana.md': '# Ana\n\nAna leads the harbour team and wants to learn Rust.\n',
      'recipes/tart.md':
        '# Tart\n\nBring the butter to room temperature, then meet the dough with one egg.\n',
      'log.md': 'The roadmap has three themes.\n',
    };
    const loop = (id: string, text: string, owner?: string): FoundLoop => {
      return { id, kind: 'task', text, owner, citation: citation('l.md', Number(id), text) };
    };
    const parts = partsOver(notes, {
      openLoops: async () => [loop('1', 'Water the plants'), loop('2', 'Send the review', 'Ana')],
      decisions: async () => [{ ...DECISIONS[0]!, title: 'Ana moves to the harbour team' }, DECISIONS[1]!],
    });
    const { pack: made, text } = await pack(
      { intent: 'Prepare the one-to-one meeting with Ana', format: 'markdown' },
      parts,
    );
    expect(made.openLoops.map(({ id }) => id)).toEqual(['2']);
    expect(made.priorDecisions.map(({ title }) => title)).toEqual(['Ana moves to the harbour team']);
    expect(made.relevantFacts.map(({ path }) => path)).toEqual(['people/ana.md']);
    const scores = [...made.openLoops, ...made.priorDecisions].map(({ score }) => score);
    expect(Math.min(...scores)).toBeGreaterThanOrEqual(made.relevantFacts[0]?.score ?? 1);
    expect(made.budgetReport).toMatchObject({ dropped: 0, belowFloor: 3 });
    expect(text).toContain('Left out: 0 beyond the budget, 3 too far from the intent.');
  });

  it('cites what it says', async () => {
    const { pack: made } = await pack();
    for (const fact of [...made.relevantFacts, ...made.preferences]) {
      const cited = made.citations[fact.citation - 1];
      expect(cited?.sourcePath).toBe(fact.path);
      expect(NOTES[fact.path as keyof typeof NOTES]).toContain(cited?.textSpan);
    }
  });

  it.each(['facts', 'decisions', 'open_loops', 'preferences'] as const)(
    'has only %s when only they are wanted',
    async (part) => {
      const { pack: made } = await pack({ include: [part] });
      const filled = {
        facts: made.relevantFacts,
        decisions: made.priorDecisions,
        open_loops: made.openLoops,
        preferences: made.preferences,
      };
      for (const [name, found] of Object.entries(filled))
        expect([name, found.length > 0]).toEqual([name, name === part]);
    },
  );

  it('is the same in whatever order its findings come', async () => {
    const turned = partsOver(NOTES, {
      decisions: async () => [...DECISIONS].reverse(),
      openLoops: async () => [...LOOPS].reverse(),
    });
    expect(withoutIdAndTimes((await pack({}, turned)).text)).toBe(withoutIdAndTimes((await pack()).text));
  });

  it('can be read as markdown, within the same budget', async () => {
    const { pack: made, text } = await pack({ format: 'markdown' });
    expect(text).toMatch(/^# bridge plan\n/);
    for (const { index, sourcePath } of made.citations) expect(text).toContain(`[${index}] ${sourcePath}`);
    expect(text.length / 4).toBeLessThanOrEqual(4_000);
  });

  it('says when not even its frame fits, and how much would', async () => {
    const intent = 'bridge '.repeat(200);
    const error = await pack({ intent, tokenBudget: 200 }).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'invalid_input', hint: expect.stringMatching(/at least (\d+)/) });
    const needed = Number(/at least (\d+)/.exec((error as { hint: string }).hint)?.[1]);
    expect((await pack({ intent, tokenBudget: needed })).pack.budgetReport.used).toBeLessThanOrEqual(needed);
  });

  it('fits 200 tokens', async () => {
    expect((await pack({ tokenBudget: 200 })).text.length).toBeLessThanOrEqual(800);
  });

  it('wants an intent', async () => {
    await expect(pack({ intent: ' \n' })).rejects.toMatchObject({ code: 'invalid_input' });
  });
});

describe('for any notes and budget', () => {
  const word = fc.constantFrom(
    'bridge',
    'plan',
    'steel',
    'ä"\\',
    '😀',
    'preference',
    '#preference',
    '\n\n',
    '# Preferences\n',
  );
  const notes = fc.dictionary(
    fc.stringMatching(/^[a-z]{1,8}\.md$/),
    fc.array(word, { maxLength: 60 }).map((words) => words.join(' ')),
    { maxKeys: 12 },
  );
  const request = fc.record({
    tokenBudget: fc.integer({ min: 200, max: 3_000 }),
    format: fc.constantFrom('json' as const, 'markdown' as const),
  });

  it('a pack is within its budget, the same every time, and loses the lowest score first', async () => {
    await fc.assert(
      fc.asyncProperty(notes, request, async (all, wanted) => {
        const parts = partsOver(all);
        const made = await pack(wanted, parts);
        const json = JSON.stringify(snakeCased(made.pack));
        const { used, dropped } = made.pack.budgetReport;
        expect(Math.max(json.length, made.text.length)).toBeLessThanOrEqual(used * 4);
        expect(used).toBeLessThanOrEqual(wanted.tokenBudget);
        expect(withoutIdAndTimes((await pack(wanted, parts)).text)).toBe(withoutIdAndTimes(made.text));

        const whole = findingsOf(await pack({ ...wanted, tokenBudget: 1_000_000 }, parts));
        const kept = findingsOf(made);
        expect(kept.length + dropped).toBe(whole.length);
        const best = whole.map(({ score }) => score).sort((a, b) => b - a);
        expect(kept.map(({ score }) => score).sort((a, b) => b - a)).toEqual(best.slice(0, kept.length));
        for (const { citation: number } of kept) expect(made.pack.citations[number - 1]?.index).toBe(number);
        expect(new Set(kept.map(({ citation: number }) => number)).size).toBe(made.pack.citations.length);
      }),
      { numRuns: cases(60) },
    );
  });
});

describe('preferences', () => {
  it('are recognized by tag, marker and heading, never from code', () => {
    const text =
      '---\ntitle: x\n---\nPlain.\n- Tea #preference\n\n```\nPREFERENCE: code\n```\n\n## My preferences\n\nQuiet\n\n### Deeper\n\nLate\n\n## Else\n\nNo #preferences-not\n**PREFERENCE:** walks\n';
    const found = preferencesIn(text);
    expect(found.map(({ text: said }) => said)).toEqual(['Tea', 'Quiet', 'Late', 'walks']);
    expect(found.map(({ start, end }) => text.slice(start, end))).toEqual([
      '- Tea #preference',
      'Quiet',
      'Late',
      '**PREFERENCE:** walks',
    ]);
  });
});
