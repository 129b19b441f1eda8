/** A server borrows the configured model: on a terminal after a yes, without one after an approval of exactly the prompt. */
import { join } from 'node:path';
import { describe, expect, it, test } from 'vitest';
import { connectHttp, startHttp } from '../kit/http.ts';
import { refuses, says, startOpenAi } from '../kit/openai-server.ts';
import { fileText } from '../kit/temp.ts';
import { onTerminal, type PlaneFolder, planeFolder, shop } from './plane-kit.ts';

const TOOL = { name: 'get_sampled', description: 'Asks the model.', inputSchema: { type: 'object' } };
const PROMPT = {
  systemPrompt: 'Be brief',
  messages: [{ role: 'user', content: { type: 'text', text: `Count ${'on '.repeat(400)}to the end` } }],
  includeContext: 'allServers',
  temperature: 0.5,
  stopSequences: ['END'],
  maxTokens: 99_999,
};
const REJECTED = { code: -1, message: 'User rejected sampling request' };

async function sampling(baseUrl: string, servers: object = {}, llm: object = {}): Promise<PlaneFolder> {
  const plane = await planeFolder(
    [shop({ allow: { sampling: true }, results: { on_finding: 'pass' }, ...servers })],
    { mcp_sampling: { enabled: true, max_tokens: 50, per_hour: 3 } },
    { llm: { base_url: baseUrl, model: 'small', ...llm } },
  );
  await plane.says({ more: [TOOL] });
  return plane;
}

const args = (prompt: object = PROMPT) => ['call', 'shop', 'get_sampled', '--args', JSON.stringify(prompt)];
const answerOf = async (plane: PlaneFolder, prompt: object = PROMPT) =>
  JSON.parse((await plane.run(...args(prompt))).stdout);

async function pending(plane: PlaneFolder): Promise<Record<string, string>> {
  const { stdout } = await plane.run('approvals', '--state', 'pending', '--json');
  const { approvals } = JSON.parse(stdout).data;
  expect(approvals).toHaveLength(1);
  return approvals[0];
}

describe('without a terminal', () => {
  it('a prompt waits for an approval that shows all of it, and passes once', async () => {
    const model = await startOpenAi(says('Five.'));
    const plane = await sampling(model.baseUrl);
    expect(await answerOf(plane)).toEqual(REJECTED);
    expect(await answerOf(plane)).toEqual(REJECTED);
    expect(model.asked).toEqual([]);
    const { id = '', kind, class: actionClass, expires_at: expires } = await pending(plane);
    expect({ kind, actionClass }).toEqual({ kind: 'sampling', actionClass: 'external' });
    expect(Date.parse(expires ?? '')).toBeGreaterThan(Date.now());

    const { stdout: shown } = await plane.run('approvals', 'show', id);
    expect(shown).toContain('  | Be brief');
    expect(shown.replaceAll('\n  | ', '')).toContain(`${'on '.repeat(400)}to the end`);
    expect(shown).toContain('"maxTokens":50');

    expect((await plane.run('approvals', 'approve', id, '--scope', 'always')).code).toBe(11);
    expect((await plane.run('approvals', 'approve', id)).code).toBe(0);
    expect(await answerOf(plane, { ...PROMPT, temperature: 0.6 })).toEqual(REJECTED);
    expect(await answerOf(plane)).toEqual({
      role: 'assistant',
      model: 'small',
      stopReason: 'endTurn',
      content: { type: 'text', text: 'Five.' },
    });
    expect(await answerOf(plane)).toEqual(REJECTED);
    expect(model.asked).toHaveLength(1);
    expect(model.asked[0]?.body).toMatchObject({
      messages: [{ role: 'system', content: 'Be brief' }, { role: 'user' }],
      max_tokens: 50,
      temperature: 0.5,
      stop: ['END'],
    });
    expect(JSON.stringify(model.asked[0]?.body)).not.toContain('includeContext');
  });

  it('is in the report and the audit log, with its tokens and without its words', async () => {
    const model = await startOpenAi(says('Five.'));
    const plane = await sampling(model.baseUrl);
    await answerOf(plane);
    await plane.run('approvals', 'approve', (await pending(plane)).id ?? '');
    await answerOf(plane);
    await plane.run('call', 'shop', 'get_asked');
    const { data } = JSON.parse((await plane.run('report', '--json')).stdout);
    expect(data.nested_requests).toMatchObject({
      sampling: 1,
      sampling_refused: 1,
      sampling_input_tokens: 11,
      sampling_output_tokens: 7,
      elicitations_cancelled: 1,
    });
    expect(data.questions.map((one: { outcome: string }) => one.outcome)).toEqual([
      'pending',
      'accept',
      'cancel',
    ]);
    expect(data.questions[2]).toMatchObject({ asked: 'elicitation', about: 'Which?: size' });
    expect(await fileText(plane.folder, '.quire/plane/audit.jsonl')).not.toContain('Be brief');
  });

  it('a denied prompt is refused, and the list of prompts has an end', async () => {
    const model = await startOpenAi(says('Five.'));
    const plane = await sampling(model.baseUrl);
    await answerOf(plane);
    const { id = '' } = await pending(plane);
    await plane.run('approvals', 'deny', id);
    expect(await answerOf(plane)).toEqual(REJECTED);
    const { stdout } = await plane.run('approvals', '--state', 'pending', '--json');
    expect(JSON.parse(stdout).data.approvals).toEqual([]);
    expect(await answerOf(plane, { ...PROMPT, systemPrompt: 'x'.repeat(30_000) })).toMatchObject({
      code: -32602,
      message: expect.stringContaining('too long to be approved'),
    });
  });
});

test('behind our own endpoint a prompt waits in the same way', async () => {
  const model = await startOpenAi(says('Five.'));
  const plane = await planeFolder(
    [shop({ allow: { sampling: true }, expose: true, results: { on_finding: 'pass' } })],
    { mcp_sampling: { enabled: true }, mcp_exposure: { min_score: 0 } },
    { llm: { base_url: model.baseUrl, model: 'small' }, serve: { port: 0 }, notebooks: {} },
  );
  await plane.says({ more: [TOOL] });
  const { origin } = await startHttp(['serve', '--config', join(plane.folder, 'quire.yaml')]);
  const client = await connectHttp(origin);
  const call = async () => {
    const result = await client.callTool({ name: 'shop__get_sampled', arguments: PROMPT });
    return JSON.parse((result.content as { text: string }[])[0]?.text ?? '');
  };
  expect(await call()).toEqual(REJECTED);
  await plane.run('approvals', 'approve', (await pending(plane)).id ?? '');
  expect(await call()).toMatchObject({ model: 'small', content: { text: 'Five.' } });
  expect(await call()).toEqual(REJECTED);
});

test('on a terminal the prompt is shown and asked about', async () => {
  const model = await startOpenAi(says('Six.'));
  const plane = await sampling(model.baseUrl);
  const prompt = {
    messages: [{ role: 'user', content: { type: 'text', text: 'Two and four?' } }],
    maxTokens: 9,
  };
  const { screen, code } = await onTerminal(plane, args(prompt), [['Let the model answer?', 'y\n']]);
  expect(code).toBe(0);
  expect(screen).toContain('| Two and four?');
  expect(screen).toContain('Six.');
  const { stdout } = await plane.run('approvals', '--json');
  expect(JSON.parse(stdout).data.approvals).toEqual([]);
});

describe('is refused clearly', () => {
  test.each([
    ['image', [{ role: 'user', content: { type: 'image', data: 'aGk=', mimeType: 'image/png' } }], {}],
    ['audio', [{ role: 'user', content: [{ type: 'audio', data: 'aGk=', mimeType: 'audio/wav' }] }], {}],
    ['sampling.tools', [], { tools: [{ name: 'x', inputSchema: { type: 'object' } }] }],
  ])('%s', async (word, messages, more) => {
    const model = await startOpenAi(says('never'));
    const plane = await sampling(model.baseUrl);
    expect(await answerOf(plane, { messages, maxTokens: 1, ...more })).toEqual({
      code: -32602,
      message: expect.stringContaining(word),
    });
    expect(model.asked).toEqual([]);
  });

  it('where it is not allowed, or no model is there', async () => {
    const model = await startOpenAi(says('never'));
    const unknown = { code: -32601, message: expect.any(String) };
    expect(await answerOf(await sampling(model.baseUrl, { allow: { sampling: false } }))).toEqual(unknown);
    expect(await answerOf(await sampling(''))).toEqual(unknown);
  });

  it('and says nothing to the server of a model that fails or of its key', async () => {
    const model = await startOpenAi(refuses(401));
    const plane = await sampling(model.baseUrl, {}, { api_key: 'k-very-secret' });
    await answerOf(plane);
    await plane.run('approvals', 'approve', (await pending(plane)).id ?? '');
    const { stdout, stderr } = await plane.run(...args());
    expect(JSON.parse(stdout)).toEqual({ code: -32603, message: 'The model did not answer' });
    expect(model.asked[0]?.authorization).toBe('Bearer k-very-secret');
    expect(stdout + stderr).not.toContain('k-very-secret');
    expect(stderr).toContain('the model did not answer the prompt of a server');
  });
});
