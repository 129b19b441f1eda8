/**
 * A server with everything the official conformance suite asks for and nothing Quire is: only tests serve it.
 * One for a session of the legacy era, one for every request of the modern one.
 */
import { McpServer } from '@modelcontextprotocol/server';
import { registerAskingTools, requestState } from './asking-tools.ts';
import { type ChangingLists, follow } from './changing-lists.ts';
import { registerPrompts } from './prompts.ts';
import { type Changes, registerResources } from './resources.ts';
import { registerTools } from './tools.ts';

export type Era = 'modern' | 'legacy';

/** `changes` are those of the watched resource, `lists` what comes and goes. */
export function createSurface(era: Era, changes: Changes, lists: ChangingLists): McpServer {
  const mcp = new McpServer(
    { name: 'conformance', version: '0.0.0' },
    {
      capabilities: {
        tools: { listChanged: true },
        prompts: { listChanged: true },
        resources: { subscribe: true, listChanged: true },
        logging: {},
      },
      requestState: { verify: requestState.verify },
    },
  );
  const tool = registerTools(mcp, lists);
  registerAskingTools(mcp);
  const prompt = registerPrompts(mcp, lists);
  registerResources(mcp, era === 'legacy' ? changes : undefined);
  if (era === 'legacy') follow(mcp, lists, { tool, prompt });
  return mcp;
}
