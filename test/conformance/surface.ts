/**
 * A server with everything the official conformance suite asks for and nothing Quire is: only tests serve it.
 * One for a session of the legacy era, one for every request of the modern one.
 */
import { McpServer } from '@modelcontextprotocol/server';
import { registerAskingTools, requestState } from './asking-tools.ts';
import { registerPrompts } from './prompts.ts';
import { type Changes, registerResources } from './resources.ts';
import { registerTools } from './tools.ts';

export type Era = 'modern' | 'legacy';

/** `changes` are those of the watched resource. */
export function createSurface(era: Era, changes: Changes): McpServer {
  // In the modern era the endpoint tells of changes, and it tells of those of resources only.
  const listChanged = era === 'legacy';
  const mcp = new McpServer(
    { name: 'conformance', version: '0.0.0' },
    {
      capabilities: {
        tools: { listChanged },
        prompts: { listChanged },
        resources: { subscribe: true, listChanged: true },
        logging: {},
      },
      requestState: { verify: requestState.verify },
    },
  );
  registerTools(mcp, listChanged);
  registerAskingTools(mcp);
  registerPrompts(mcp);
  registerResources(mcp, era === 'legacy' ? changes : undefined);
  return mcp;
}
