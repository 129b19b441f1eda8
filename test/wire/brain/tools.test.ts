/** Each tool of the second brain, called by the SDK's client, which checks every answer against the tool's schema. */
import { describe, expect, it } from 'vitest';
import { pinnedNames } from '../../kit/pinned-tools.ts';
import { startProgram } from '../../kit/server.ts';
import { fileText, putFile, temporaryFolder } from '../../kit/temp.ts';
import { expectCited, expectRecalled, NOTES, startBrain, type Value, wholeOf } from './support.ts';

const TOOLS = [
  'sb_ask',
  'sb_ingest',
  'sb_pack',
  'sb_open_loops',
  'sb_decision_extract',
  'sb_grounded_answer',
  'sb_recall',
  'sb_meeting_extract',
];

describe('the tools', () => {
  it('are those of the document, annotated by what they do', async () => {
    const { client } = await startBrain();
    const { tools } = await client.listTools();
    const names = tools.map(({ name }) => name);
    expect(names).toEqual(pinnedNames('brain').filter((name) => name !== 'search_local_context'));
    expect(names.filter((name) => TOOLS.includes(name))).toEqual(TOOLS);
    for (const { name, annotations, inputSchema } of tools) {
      const writes = name === 'sb_ingest';
      expect(inputSchema.additionalProperties).toBe(false);
      if (!TOOLS.includes(name)) continue;
      expect(annotations).toEqual({
        readOnlyHint: !writes,
        destructiveHint: false,
        openWorldHint: false,
        ...(writes && { idempotentHint: true }),
      });
    }
  });

  it('that there are not are an error of the protocol', async () => {
    const { client } = await startBrain();
    await expect(client.callTool({ name: 'sb_aks', arguments: {} })).rejects.toMatchObject({
      code: -32602,
      message: expect.stringContaining('Did you mean sb_ask?'),
    });
  });
});

describe('sb_recall', () => {
  it('finds passages with citations that can be looked up', async () => {
    const { call } = await startBrain();
    const { results, total, mode_used: mode } = wholeOf(await call('sb_recall', { query: 'steel cable' }));
    expect(mode).toBe('keyword');
    expect(total).toBeGreaterThan(0);
    expect(results[0]).toMatchObject({ rank: 1, title: 'Harbour crane', tags: ['harbour', 'project'] });
    expect(results[0].snippet).toContain('steel cable');
    for (const result of results) expectRecalled(result);
  });

  it('goes on where it stopped, and ends', async () => {
    const seed = Object.fromEntries(
      Array.from({ length: 25 }, (_, at) => [`n${at}.md`, `# Note ${at}\n\nA crane stands at quay ${at}.\n`]),
    );
    const { call } = await startBrain([], seed);
    const seen: string[] = [];
    let cursor: string | undefined;
    for (let page = 0; page < 10; page++) {
      const value = wholeOf(
        await call('sb_recall', { query: 'crane', limit: 10, ...(cursor && { cursor }) }),
      );
      seen.push(...value.results.map(({ citation }: Value) => citation.source_path));
      expect(value.results[0].rank).toBe(seen.length - value.results.length + 1);
      cursor = value.next_cursor;
      if (cursor === undefined) break;
    }
    expect(seen).toHaveLength(25);
    expect(new Set(seen).size).toBe(25);
  });

  it('says little when asked to, and stays within its scope', async () => {
    const { call } = await startBrain();
    const short = wholeOf(await call('sb_recall', { query: 'crane', include_text: false }));
    expect(short.results[0]).not.toHaveProperty('text');
    expect(Object.keys(short.results[0])).toEqual(['rank', 'title', 'citation']);
    expect(Object.keys(short.results[0].citation)).toEqual(['source_path', 'line_start']);
    const scoped = wholeOf(await call('sb_recall', { query: 'harbour', scope: { path_prefix: 'meetings' } }));
    expect(scoped.results.length).toBeGreaterThan(0);
    for (const { citation } of scoped.results) expect(citation.source_path).toMatch(/^meetings\//);
    const tagged = wholeOf(await call('sb_recall', { query: 'harbour', scope: { tags: ['project'] } }));
    for (const { tags } of tagged.results) expect(tags).toContain('project');
    const future = wholeOf(await call('sb_recall', { query: 'harbour', scope: { since: '2999-01-01' } }));
    expect(future.results).toEqual([]);
    const semantic = wholeOf(await call('sb_recall', { query: 'harbour', mode: 'semantic' }));
    expect(semantic.mode_used).toBe('keyword');
    expect([short.warnings, semantic.warnings]).toEqual([[], [expect.stringContaining('embedding')]]);
  });
});

describe('sb_ask and sb_grounded_answer', () => {
  it('answer with the sentences of the notes', async () => {
    const { call } = await startBrain();
    const asked = wholeOf(await call('sb_ask', { question: 'How much does the harbour crane lift?' }));
    expect(asked).toMatchObject({ mode_used: 'extractive', insufficient_evidence: false });
    expect(asked.answer).toContain('40 tonnes');
    expect(asked.answer).toMatch(/\[1\]/);
    for (const citation of asked.citations) expectCited(citation);
    const grounded = wholeOf(
      await call('sb_grounded_answer', { question: 'How much does the harbour crane lift?' }),
    );
    expect(grounded).toMatchObject({ grounded: true, answer: expect.stringContaining('40 tonnes') });
    expect(grounded.trajectory_id).toMatch(/^tr_/);
    for (const { citations } of grounded.claims) expect(citations.length).toBeGreaterThan(0);
    for (const citation of grounded.citations) expectCited(citation);
  });

  it('say nothing that the notes do not', async () => {
    const { call } = await startBrain();
    const question = 'Which languages does the ambassador of Peru speak?';
    expect(wholeOf(await call('sb_grounded_answer', { question }))).toMatchObject({
      grounded: false,
      answer: null,
      claims: [],
      refused_reason: expect.stringMatching(/^(no_evidence|below_threshold)$/),
    });
    expect(wholeOf(await call('sb_ask', { question }))).toMatchObject({
      answer: '',
      insufficient_evidence: true,
    });
  });
});

describe('the extractions', () => {
  it('list open loops with what is overdue first, and never from code', async () => {
    const { call } = await startBrain();
    const { loops, counts } = wholeOf(await call('sb_open_loops'));
    expect(loops.map(({ text }: Value) => text)).toContain('Order grease for the crane');
    expect(loops[0]).toMatchObject({
      kind: 'task',
      due: '2020-01-10',
      overdue: true,
      status: 'open',
      owner: null,
    });
    expect(JSON.stringify(loops)).not.toContain('not a task');
    expect(counts).toMatchObject({ overdue: 2, by_kind: expect.objectContaining({ task: 2 }) });
    for (const { citation } of loops) expectCited(citation);
    const done = wholeOf(await call('sb_open_loops', { status: 'done', kinds: ['task'] }));
    expect(done.loops.map(({ text }: Value) => text)).toEqual(['Inspect the cable']);
    const mine = wholeOf(await call('sb_open_loops', { owner: 'Ana' }));
    expect(mine.loops.map(({ text }: Value) => text)).toContainEqual(
      expect.stringContaining('Paint the rail'),
    );
    const due = wholeOf(await call('sb_open_loops', { due_before: '2020-01-10' }));
    expect(due.loops).toEqual([]);
  });

  it('page open loops', async () => {
    const tasks = Array.from({ length: 30 }, (_, at) => `- [ ] Task number ${at}`).join('\n');
    const { call } = await startBrain([], { 'tasks.md': tasks });
    const seen: string[] = [];
    let cursor: string | undefined;
    for (let page = 0; page < 10; page++) {
      const value = wholeOf(await call('sb_open_loops', { limit: 12, ...(cursor && { cursor }) }));
      seen.push(...value.loops.map(({ id }: Value) => id));
      cursor = value.next_cursor;
      if (cursor === undefined) break;
    }
    expect(new Set(seen).size).toBe(30);
    const wrong = await call('sb_open_loops', { cursor: 'bm9uc2Vuc2U' });
    expect([wrong.isError, /cursor/i.test(wrong.text)]).toEqual([true, true]);
  });

  it('keep long answers short, and go on', async () => {
    const long = Array.from({ length: 200 }, (_, at) => `- [ ] Task ${at} ${'word '.repeat(250)}`).join('\n');
    const { call } = await startBrain([], { 'tasks.md': long });
    const answer = await call('sb_open_loops', { limit: 200 });
    expect(JSON.stringify(answer.json).length).toBeLessThanOrEqual(100_000);
    const { loops, next_cursor: cursor } = wholeOf(answer);
    expect(loops.length).toBeLessThan(200);
    const next = wholeOf(await call('sb_open_loops', { limit: 200, cursor }));
    expect(next.loops[0].id).not.toBe(loops.at(-1).id);
    expect(next.counts).toMatchObject({ by_kind: expect.objectContaining({ task: 200 }) });
    const meeting = await call('sb_meeting_extract', { text: `# M\n\n## Actions\n\n${long}` });
    expect(JSON.stringify(meeting.json).length).toBeLessThanOrEqual(110_000);
    const value = wholeOf(meeting);
    expect(value.omitted.action_items).toBeGreaterThan(0);
    expect(value.warnings.join()).toContain('left out');
  });

  it.each([
    { source_path: 'projects/harbour.md' },
    { query: 'steel cable' },
    { text: NOTES['projects/harbour.md'] },
  ])('find decisions: %o', async (args) => {
    const { call } = await startBrain();
    const { decisions } = wholeOf(await call('sb_decision_extract', args));
    expect(decisions[0]).toMatchObject({
      status: expect.any(String),
      rationale: expect.stringContaining('hemp'),
    });
    expect(decisions[0].decision).toContain('steel cable');
    if (!('text' in args)) for (const { citation } of decisions) expectCited(citation);
  });

  it('read a meeting', async () => {
    const { call } = await startBrain();
    const value = wholeOf(await call('sb_meeting_extract', { source_path: 'meetings/2020-11-02.md' }));
    expect(value.meeting).toMatchObject({ date: '2020-11-02', attendees: ['Ana', 'Ben'], absent: [] });
    expect(value.action_items).toMatchObject([{ owner: 'Ana', due: '2020-11-06', status: 'open' }]);
    expect(value.risks).toHaveLength(1);
    expectCited(value.action_items[0].citation);
    const missing = await call('sb_meeting_extract', { source_path: 'meetings/2020-11-01.md' });
    expect([missing.isError, missing.text]).toEqual([true, expect.stringContaining('meetings/2020-11-0')]);
  });
});

describe('sb_pack', () => {
  it('holds its budget and its sources, the same every time', async () => {
    const { call } = await startBrain();
    const args = { intent: 'replace the cable of the harbour crane', token_budget: 1_500 };
    const pack = wholeOf(await call('sb_pack', args));
    expect(pack).toMatchObject({ schema_version: 'context_pack.v2', intent: args.intent });
    expect(pack.pack_id).toMatch(/^cp_[0-9A-Z]{26}$/);
    expect(pack.budget_report).toMatchObject({ budget: 1_500, estimator: 'chars/4' });
    expect(JSON.stringify(pack).length / 4).toBeLessThanOrEqual(1_500);
    expect(pack.relevant_facts.length).toBeGreaterThan(0);
    for (const { citation } of pack.relevant_facts) expectCited(pack.citations[citation - 1]);
    const same = ({ pack_id: _, created_at: __, citations, ...rest }: Value) => ({
      ...rest,
      citations: citations.map(({ retrieved_at: ___, ...citation }: Value) => citation),
    });
    expect(same(wholeOf(await call('sb_pack', args)))).toEqual(same(pack));
    const text = await call('sb_pack', { ...args, format: 'markdown' });
    expect(text.text).toMatch(/^# replace the cable/);
    const facts = wholeOf(await call('sb_pack', { ...args, include: ['facts'] }));
    expect([facts.open_loops, facts.prior_decisions]).toEqual([[], []]);
  });
});

describe('sb_ingest', () => {
  it('adds a note once, and what it adds is found at once', async () => {
    const { call, folder } = await startBrain();
    const args = { content: 'The lighthouse keeper is on leave.\n', title: 'Lighthouse', tags: ['harbour'] };
    const dry = wholeOf(await call('sb_ingest', { ...args, dry_run: true }));
    expect(dry.status).toBe('dry_run');
    await expect(fileText(folder, dry.source_path)).rejects.toThrow('ENOENT');
    const added = wholeOf(await call('sb_ingest', args));
    expect(added).toMatchObject({ status: 'created', source_path: dry.source_path, chunks: 1 });
    const text = await fileText(folder, added.source_path);
    expect(text).toMatch(/^---\n[\s\S]*title: Lighthouse[\s\S]*---\nThe lighthouse keeper/);
    expect(Buffer.byteLength(text)).toBe(added.bytes);
    expect(wholeOf(await call('sb_ingest', args)).status).toBe('unchanged');
    const { results } = wholeOf(await call('sb_recall', { query: 'lighthouse keeper' }));
    expect(results[0].citation.source_path).toBe(added.source_path);
    const other = await call('sb_ingest', { ...args, content: 'Something else.' });
    expect([other.isError, other.text]).toEqual([true, expect.stringContaining('on_conflict')]);
    expect(await fileText(folder, added.source_path)).toBe(text);
  });

  it('takes files from allowed folders only, and writes nowhere but into notebooks', async () => {
    const [notes, drop, secret] = [
      await temporaryFolder(NOTES),
      await temporaryFolder({ 'in.md': 'From outside.\n' }),
      await temporaryFolder({ 'secret.md': 'Not yours.\n' }),
    ];
    const config = `notebooks:\n  main: { folder: ${notes} }\nallowed_file_roots: [${drop}]\n`;
    const home = await temporaryFolder({ 'quire.yaml': config });
    const { call } = await startProgram(['brain', '--config', `${home}/quire.yaml`]);
    const added = wholeOf(await call('sb_ingest', { path: 'in.md', dest: 'from' }));
    expect(await fileText(notes, added.source_path)).toContain('From outside.');
    for (const args of [
      { path: `${secret}/secret.md` },
      { path: '../../etc/hostname' },
      { content: 'x', dest: '../out.md' },
      { content: 'x', dest: '.git/hooks' },
    ]) {
      const refused = await call('sb_ingest', args);
      expect(refused.isError, JSON.stringify(args)).toBe(true);
      expect(refused.text).not.toContain('Not yours');
    }
  });

  it('keeps the rules of the notebook', async () => {
    const notes = await temporaryFolder({ 'a.md': 'Old.\n' });
    const rules = '[{ paths: "people/**", required: [role] }]';
    const config = `notebooks:\n  main: { folder: ${notes}, noDelete: true, frontmatterRules: ${rules} }\n`;
    const home = await temporaryFolder({ 'quire.yaml': config });
    const { call } = await startProgram(['brain', '--config', `${home}/quire.yaml`, '--embeddings', 'off']);
    const ruled = await call('sb_ingest', { content: 'x', dest: 'people/ana.md' });
    expect([ruled.isError, ruled.text]).toEqual([true, expect.stringContaining('role')]);
    const replaced = await call('sb_ingest', { content: 'x', dest: 'a.md', on_conflict: 'replace' });
    expect([replaced.isError, replaced.text]).toEqual([true, expect.stringContaining('noDelete')]);
    expect(await fileText(notes, 'a.md')).toBe('Old.\n');
  });

  it('is not offered where nothing may be changed', async () => {
    const { client, call } = await startBrain(['--read-only']);
    expect((await client.listTools()).tools.map(({ name }) => name)).not.toContain('sb_ingest');
    const refused = await call('sb_ingest', { content: 'x' });
    expect([refused.isError, refused.text]).toEqual([true, expect.stringContaining('read-only')]);
  });
});

describe('several folders', () => {
  it('are one body of notes, each under its name', async () => {
    const home = await temporaryFolder();
    await putFile(home, 'one/a.md', '# A\n\nThe crane is red.\n');
    await putFile(home, 'two/b.md', '# B\n\nThe crane is tall.\n');
    const { call } = await startProgram(['brain', `${home}/one`, `${home}/two`]);
    const { results } = wholeOf(await call('sb_recall', { query: 'crane' }));
    expect(results.map(({ citation }: Value) => citation.source_path).sort()).toEqual([
      'one/a.md',
      'two/b.md',
    ]);
    const added = wholeOf(await call('sb_ingest', { content: 'New.', title: 'New', dest: 'two' }));
    expect(await fileText(home, added.source_path)).toContain('New.');
  });
});
