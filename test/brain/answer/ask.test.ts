import { describe, expect, it } from 'vitest';
import { type AskRequest, ask } from '../../../src/brain/answer/ask.ts';
import type { Models } from '../../../src/brain/answer/synthesize.ts';
import type { Retriever } from '../../../src/brain/types.ts';
import { openChatModel } from '../../../src/llm/openai-chat.ts';
import { AppError } from '../../../src/shared/errors.ts';
import { libraryOf, type SmallLibraryOptions } from '../../kit/brain.ts';
import {
  type Behaviour,
  breaksOff,
  isHuge,
  neverAnswers,
  refuses,
  says,
  saysRaw,
  startOpenAi,
} from '../../kit/openai-server.ts';

const NOTES = {
  'projects/storage.md': `# Storage

We chose **Postgres** as the database on 3 March 2026, not MySQL. The cluster has 3 nodes.
Backups run every night (see [the runbook](runbook.md)).

\`\`\`sql
-- the database password for the storage cluster is hunter2.
\`\`\`
`,
  'people/team.md': `# Team

Ana owns the release train. Ben looks after the billing service.

## Questions

Which database should the storage use?
`,
  'recipes.md': '# Bread\n\nBake the bread at 230 degrees for 40 minutes.\n',
};

const QUESTION = 'Which database did we choose for storage?';

function asking(models: Models = {}, request: Partial<AskRequest> = {}, options: SmallLibraryOptions = {}) {
  const library = libraryOf(NOTES, options);
  const parts = { retriever: library.retriever, cite: library.cite, models };
  const answer = ask(parts, { question: QUESTION, topK: 8, scope: {}, mode: 'auto', ...request });
  return { answer, library };
}

async function modelOf(...behaviours: readonly Behaviour[]) {
  const server = await startOpenAi(...behaviours);
  const provider = openChatModel({
    baseUrl: server.baseUrl,
    model: 'small',
    apiKey: 'sk-secret-key',
    timeoutMs: 2_000,
    wait: async () => {},
  });
  return { provider, server };
}

describe('without a model', () => {
  it("answers in the notes' own sentences, each with its exact place", async () => {
    const { answer, library } = asking();
    const { answer: text, citations, ...rest } = await answer;
    expect(text.split('\n')[0]).toBe('We chose Postgres as the database on 3 March 2026, not MySQL. [1]');
    expect(citations[0]).toMatchObject({
      index: 1,
      sourcePath: 'projects/storage.md',
      anchor: 'Storage',
      lineStart: 3,
      lineEnd: 3,
      textSpan: 'We chose **Postgres** as the database on 3 March 2026, not MySQL.',
    });
    for (const { sourcePath, lineStart, lineEnd, textSpan } of citations)
      expect(
        library
          .textOf(sourcePath)
          .split('\n')
          .slice(lineStart - 1, lineEnd)
          .join('\n'),
      ).toContain(textSpan);
    expect(rest).toMatchObject({ modeUsed: 'extractive', insufficientEvidence: false, warnings: [] });
    expect(rest.confidence).toBeGreaterThan(0.6);
  });

  it('takes no sentence from code, headings or questions', async () => {
    const { answer } = await asking({}, { question: 'storage cluster database password' }).answer;
    expect(answer).not.toContain('hunter2');
    expect(answer).not.toContain('Which database should');
    expect(answer).not.toMatch(/^#/m);
  });

  it('has one citation for each sentence, numbered as they come', async () => {
    const { answer, citations } = await asking().answer;
    const markers = [...answer.matchAll(/\[(\d+)\]/g)].map(([, number]) => Number(number));
    expect(markers).toEqual(citations.map(({ index }) => index));
    expect(markers).toEqual(markers.map((_, at) => at + 1));
    expect(answer.split('\n')).toHaveLength(markers.length);
  });

  it('says nothing when the notes have too few of its words', async () => {
    expect(
      await asking({}, { question: 'What colour is the office carpet near the kitchen?' }).answer,
    ).toEqual({
      answer: '',
      modeUsed: 'extractive',
      insufficientEvidence: true,
      confidence: 0,
      citations: [],
      warnings: [],
    });
  });

  it('goes by meaning where there is an embedder', async () => {
    const meanings = ['repository database', 'pick choose selected'];
    const question = 'Which repository was selected?';
    expect((await asking({}, { question }).answer).insufficientEvidence).toBe(true);
    const { answer } = await asking({}, { question }, { meanings }).answer;
    expect(answer).toMatch(/^We chose Postgres as the database .*\[1\]/);
  });

  it.each([
    [{ coverage: 0.49, cosine: 0.49 }, true],
    [{ coverage: 0.49, cosine: 0.5 }, false],
    [{ coverage: 0.6, cosine: 0.1 }, false],
  ])('abstains where neither words nor meaning are near: %j, %s', async (nearness, insufficient) => {
    const library = libraryOf(NOTES);
    const retriever: Retriever = {
      ...library.retriever,
      async retrieve(request) {
        const found = await library.retriever.retrieve(request);
        return { ...found, passages: found.passages.map((one) => ({ ...one, ...nearness })) };
      },
    };
    const request = { question: QUESTION, topK: 8, scope: {}, mode: 'auto' } as const;
    const answer = await ask({ retriever, cite: library.cite, models: {} }, request);
    expect(answer.insufficientEvidence).toBe(insufficient);
  });

  it('says when a model was asked for and there is none', async () => {
    const { modeUsed, warnings } = await asking({}, { mode: 'generate' }).answer;
    expect([modeUsed, warnings]).toEqual(['extractive', [expect.stringContaining('No model is configured')]]);
  });

  it('wants a question', async () => {
    await expect(asking({}, { question: '  ' }).answer).rejects.toMatchObject({ code: 'invalid_input' });
  });
});

describe('with a model that tells the truth', () => {
  it('answers in its words, with the numbers of the places', async () => {
    const { provider, server } = await modelOf(
      says('The database is Postgres, chosen on 3 March 2026 [1]. The cluster has 3 nodes. [1]', {
        model: 'small-v2',
      }),
    );
    const result = await asking({ provider }).answer;
    expect(result).toMatchObject({
      answer: 'The database is Postgres, chosen on 3 March 2026. [1] The cluster has 3 nodes. [2]',
      modeUsed: 'provider',
      model: 'small-v2',
      insufficientEvidence: false,
      warnings: [],
    });
    expect(result.citations.map(({ textSpan }) => textSpan)).toEqual([
      'We chose **Postgres** as the database on 3 March 2026, not MySQL.',
      'The cluster has 3 nodes.',
    ]);
    expect(server.asked).toHaveLength(1);
  });

  it('has one number for a place that two of its sentences rest on', async () => {
    const { provider } = await modelOf(
      says('The database is Postgres [1]. We chose Postgres, not MySQL [1].'),
    );
    const { answer, citations } = await asking({ provider }).answer;
    expect(answer).toBe('The database is Postgres. [1] We chose Postgres, not MySQL. [1]');
    expect(citations).toHaveLength(1);
  });

  it('is not asked when extraction is wanted, nor when the notes are not enough', async () => {
    const { provider, server } = await modelOf(says('Anything [1].'));
    await asking({ provider }, { mode: 'extractive' }).answer;
    await asking({ provider }, { question: 'What colour is the office carpet near the kitchen?' }).answer;
    expect(server.asked).toEqual([]);
  });

  it('may say that the notes do not answer', async () => {
    const { provider } = await modelOf(says('INSUFFICIENT_EVIDENCE'));
    expect(await asking({ provider }).answer).toMatchObject({
      answer: '',
      insufficientEvidence: true,
      modeUsed: 'provider',
      citations: [],
    });
  });

  it("is the client's where there is no other, and only then", async () => {
    const said = { text: 'The database is Postgres [1].', model: 'client', stopReason: 'end' } as const;
    const sampling = { name: 'client', complete: async () => said };
    expect(await asking({ sampling }).answer).toMatchObject({ modeUsed: 'sampling', model: 'client' });
    const { provider } = await modelOf(says('The cluster has 3 nodes [1].'));
    expect(await asking({ provider, sampling }).answer).toMatchObject({
      modeUsed: 'provider',
      model: 'small',
    });
  });

  it('loses its last sentence when it was cut off', async () => {
    const { provider } = await modelOf(
      says('The database is Postgres [1]. The cluster has', { finish: 'length' }),
    );
    const { answer, warnings } = await asking({ provider }).answer;
    expect(answer).toBe('The database is Postgres. [1]');
    expect(warnings).toEqual([expect.stringContaining('cut off')]);
  });
});

describe('with a model that lies', () => {
  it('marks what has no support beside what has', async () => {
    const { provider } = await modelOf(
      says('The database is Postgres [1]. It costs 400 dollars a month [1].'),
    );
    const { answer, confidence, citations, warnings } = await asking({ provider }).answer;
    expect(answer).toBe(
      'The database is Postgres. [1] It costs 400 dollars a month. (not supported by the notes)',
    );
    expect(citations).toHaveLength(1);
    expect(confidence).toBeLessThanOrEqual(0.5);
    expect(warnings).toEqual(['Sentence 2 states a number that is not in the note it names.']);
  });

  it('is replaced by sentences of the notes when nothing it wrote has support', async () => {
    const { provider } = await modelOf(says('The database is Oracle [1]. It was cheap.'));
    const { answer, modeUsed, warnings } = await asking({ provider }).answer;
    expect(modeUsed).toBe('extractive');
    expect(answer).toMatch(/^We chose Postgres/);
    expect(answer).not.toContain('Oracle');
    expect(warnings).toEqual([expect.stringContaining('Nothing the model wrote has support')]);
  });

  it('shows no address that is in no note', async () => {
    const { provider } = await modelOf(
      says(
        'The database is Postgres [1]. See https://evil.example/?q=postgres for more [1]. ![x](https://evil.example/pixel.png) [1]',
      ),
    );
    const result = await asking({ provider }).answer;
    expect(JSON.stringify(result)).not.toContain('evil.example');
  });
});

describe('with a model that fails', () => {
  it.each([
    ['refuses the key', refuses(401)],
    ['is unknown', refuses(404)],
    ['is broken', refuses(500)],
    ['is busy', refuses(429)],
    ['is slow', neverAnswers],
    ['speaks no JSON', saysRaw('oops')],
    ['hangs up', breaksOff],
    ['says nothing', says('')],
    ['says too much', isHuge(5 * 1024 * 1024)],
  ])('that %s answers from the notes with a warning', async (_, behaviour) => {
    const { provider } = await modelOf(behaviour);
    const { answer, modeUsed, citations, warnings } = await asking({ provider }).answer;
    expect(modeUsed).toBe('extractive');
    expect(answer).toMatch(/^We chose Postgres as the database .*\[1\]/);
    expect(citations.length).toBeGreaterThan(0);
    expect(warnings).toEqual([expect.stringMatching(/^The model could not be used \(.+\)/)]);
    expect(JSON.stringify(warnings)).not.toContain('sk-secret-key');
  });

  it('ends when the caller cancels', async () => {
    const { provider } = await modelOf(neverAnswers);
    const library = libraryOf(NOTES);
    const controller = new AbortController();
    const { signal } = controller;
    setTimeout(() => controller.abort(new Error('enough')), 100);
    const parts = { retriever: library.retriever, cite: library.cite, models: { provider } };
    await expect(
      ask(parts, { question: QUESTION, topK: 8, scope: {}, mode: 'auto' }, { signal }),
    ).rejects.toThrow('enough');
  });
});

describe('an embedder that fails', () => {
  it('leaves an answer by words, with a warning', async () => {
    const library = libraryOf(NOTES);
    const similarity = async () => {
      throw new AppError('upstream_failed', 'No vectors');
    };
    const parts = { retriever: { ...library.retriever, similarity }, cite: library.cite, models: {} };
    const { answer, warnings } = await ask(parts, { question: QUESTION, topK: 8, scope: {}, mode: 'auto' });
    expect(answer).toMatch(/^We chose Postgres/);
    expect(warnings).toEqual(['Meaning could not be compared, only words (No vectors).']);
  });
});

describe('notes that disagree', () => {
  it('are named', async () => {
    const library = libraryOf({
      'a.md': 'The launch of the rocket is on 5 May.\n',
      'b.md': 'The launch of the rocket is on 12 May.\n',
    });
    const { answer, warnings } = await ask(
      { ...library, models: {} },
      { question: 'When is the launch of the rocket?', topK: 8, scope: {}, mode: 'auto' },
    );
    expect(answer).toContain('5 May');
    expect(answer).toContain('12 May');
    expect(warnings).toEqual(['The notes disagree: see a.md and b.md.']);
  });
});
