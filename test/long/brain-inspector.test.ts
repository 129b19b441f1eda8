/** The MCP Inspector's command line as a foreign client of the second brain. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { describeWith } from '../kit/needs.ts';
import { INSPECTOR, inspector } from '../kit/programs.ts';
import { BINARY } from '../kit/server.ts';
import { CLEAN_ENVIRONMENT, temporaryFolder } from '../kit/temp.ts';
import { TOOL_COUNT } from '../kit/tool-count.ts';
import { NOTES, type Value } from '../wire/brain/support.ts';

async function inspect(...args: string[]): Promise<Value> {
  const [notes, home] = [await temporaryFolder(NOTES), await temporaryFolder()];
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [INSPECTOR, '--cli', process.execPath, BINARY, 'brain', notes, ...args],
    { env: { ...CLEAN_ENVIRONMENT, HOME: home }, timeout: 60_000 },
  );
  return JSON.parse(stdout);
}

describeWith(inspector, 'the Inspector', () => {
  it.each(['legacy', 'modern'])('lists every tool in the %s era, strictly', async (era) => {
    const { tools } = await inspect('--protocol-era', era, '--method', 'tools/list', '--strict');
    // search_local_context is optional.
    expect(tools).toHaveLength(TOOL_COUNT.brain - 1);
  });

  it('calls a tool, reads a resource and gets the prompt', async () => {
    const called = await inspect(
      ...['--method', 'tools/call', '--tool-name', 'sb_ask'],
      ...['--tool-args-json', '{"question":"How much does the harbour crane lift?"}'],
    );
    expect(called.structuredContent.answer).toContain('40 tonnes');
    expect(called.content[0].text).toContain('40 tonnes');
    const read = await inspect('--method', 'resources/read', '--uri', 'secondbrain://context/help');
    expect(read.contents[0].text).toContain('sb_recall');
    const { prompts } = await inspect('--method', 'prompts/list');
    expect(prompts).toHaveLength(1);
  });
});
