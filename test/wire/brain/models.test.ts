/** Answers are written by the configured model, the client's, or none; none of them says what no note supports. */
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { describe, expect, it, onTestFinished } from 'vitest';
import { says, startOpenAi } from '../../kit/openai-server.ts';
import { answerJson, BINARY } from '../../kit/server.ts';
import { CLEAN_ENVIRONMENT, temporaryFolder } from '../../kit/temp.ts';
import { expectCited, NOTES, startBrain, wholeOf } from './support.ts';

const QUESTION = { question: 'How much does the harbour crane lift?' };
const TRUE = 'The harbour crane lifts 40 tonnes [1].';
const LIE = 'The harbour crane lifts 90 tonnes [1].';

describe('a configured model', () => {
  it('writes the answer, which carries its citations', async () => {
    const model = await startOpenAi(says(TRUE));
    const { call } = await startBrain(['--llm-url', model.baseUrl, '--llm-model', 'tiny']);
    const value = wholeOf(await call('sb_ask', QUESTION));
    expect(value).toMatchObject({ mode_used: 'provider', answer: expect.stringContaining('40 tonnes') });
    for (const citation of value.citations) expectCited(citation);
    expect(model.asked[0]?.authorization).toBeUndefined();
  });

  it('that lies is not believed', async () => {
    const model = await startOpenAi(says(LIE));
    const { call } = await startBrain(['--llm-url', model.baseUrl, '--llm-model', 'tiny']);
    const grounded = wholeOf(await call('sb_grounded_answer', QUESTION));
    expect(JSON.stringify(grounded)).not.toContain('90 tonnes');
  });

  it('that is not there leaves the sentences of the notes, and a warning', async () => {
    const { call } = await startBrain(['--llm-url', 'http://127.0.0.1:9/v1', '--llm-model', 'tiny']);
    const value = wholeOf(await call('sb_ask', QUESTION));
    expect(value).toMatchObject({ mode_used: 'extractive', answer: expect.stringContaining('40 tonnes') });
    expect(value.warnings.length).toBeGreaterThan(0);
  });
});

async function samplingClient(yaml: string, reply: () => string) {
  const folder = await temporaryFolder({
    ...prefixed(),
    'quire.yaml': `notebooks:\n  main: { folder: ./notes }\n${yaml}`,
  });
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [BINARY, 'brain', '--config', `${folder}/quire.yaml`],
    env: { ...CLEAN_ENVIRONMENT },
    stderr: 'ignore',
  });
  const client = new Client({ name: 'sampler', version: '1' }, { capabilities: { sampling: {} } });
  let asked = 0;
  client.setRequestHandler('sampling/createMessage', async () => {
    asked++;
    return {
      role: 'assistant',
      model: 'own',
      content: { type: 'text', text: reply() },
      stopReason: 'endTurn',
    };
  });
  await client.connect(transport);
  onTestFinished(() => client.close());
  const ask = async () => answerJson(await client.callTool({ name: 'sb_ask', arguments: QUESTION }));
  return { ask, asked: () => asked };
}

function prefixed(): Record<string, string> {
  return Object.fromEntries(Object.entries(NOTES).map(([path, text]) => [`notes/${path}`, text]));
}

describe("the client's model", () => {
  it('writes the answer where both sides agree', async () => {
    const { ask, asked } = await samplingClient('llm: { use_client_sampling: true }\n', () => TRUE);
    expect(await ask()).toMatchObject({ mode_used: 'sampling', model: 'own' });
    expect(asked()).toBe(1);
  });

  it('is not asked unless that is allowed', async () => {
    const { ask, asked } = await samplingClient('', () => TRUE);
    expect(await ask()).toMatchObject({ mode_used: 'extractive' });
    expect(asked()).toBe(0);
  });

  it('that refuses leaves the sentences of the notes', async () => {
    const { ask } = await samplingClient('llm: { use_client_sampling: true }\n', () => {
      throw new Error('no');
    });
    expect(await ask()).toMatchObject({
      mode_used: 'extractive',
      answer: expect.stringContaining('40 tonnes'),
    });
  });
});
