/** Tools that need nothing of the client but its patience. */
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type CallToolResult,
  type ContentBlock,
  fromJsonSchema,
  type McpServer,
  type RegisteredTool,
} from '@modelcontextprotocol/server';
import type { ChangingLists } from './changing-lists.ts';
import { RED_PIXEL_PNG, SILENT_WAV } from './samples.ts';

const PAUSE_MS = 50;

const CONTENT: Readonly<Record<string, ContentBlock[]>> = {
  test_simple_text: [{ type: 'text', text: 'This is a simple text response for testing.' }],
  test_image_content: [{ type: 'image', data: RED_PIXEL_PNG, mimeType: 'image/png' }],
  test_audio_content: [{ type: 'audio', data: SILENT_WAV, mimeType: 'audio/wav' }],
  test_embedded_resource: [
    {
      type: 'resource',
      resource: {
        uri: 'test://embedded-resource',
        mimeType: 'text/plain',
        text: 'This is an embedded resource content.',
      },
    },
  ],
  test_multiple_content_types: [
    { type: 'text', text: 'Multiple content types test:' },
    { type: 'image', data: RED_PIXEL_PNG, mimeType: 'image/png' },
    {
      type: 'resource',
      resource: {
        uri: 'test://mixed-content-resource',
        mimeType: 'application/json',
        text: JSON.stringify({ test: 'data', value: 123 }),
      },
    },
  ],
};

/** Keywords of JSON Schema 2020-12 that must come through a listing unharmed. */
const MANY_KEYWORDS = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  $defs: {
    address: {
      $anchor: 'addressDef',
      type: 'object',
      properties: { street: { type: 'string' }, city: { type: 'string' } },
    },
  },
  properties: {
    name: { type: 'string' },
    address: { $ref: '#/$defs/address' },
    contactMethod: { type: 'string', enum: ['phone', 'email'] },
    phone: { type: 'string' },
    email: { type: 'string' },
  },
  allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
  if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  then: { required: ['phone'] },
  else: { required: ['email'] },
  additionalProperties: false,
};

const MIRRORED_IN_HEADER = {
  type: 'object',
  properties: { region: { type: 'string', 'x-mcp-header': 'Region' } },
  required: ['region'],
};

export function text(said: string): CallToolResult {
  return { content: [{ type: 'text', text: said }] };
}

/** Returns the one that comes and goes. */
export function registerTools(mcp: McpServer, lists: ChangingLists): RegisteredTool {
  for (const [name, content] of Object.entries(CONTENT))
    mcp.registerTool(name, { description: `Answers with ${content.map(({ type }) => type)}` }, () => ({
      content,
    }));
  mcp.registerTool('test_error_handling', { description: 'Fails' }, () => {
    throw new Error('This tool intentionally returns an error for testing');
  });
  mcp.registerTool(
    'json_schema_2020_12_tool',
    { description: 'Has a schema with many keywords', inputSchema: fromJsonSchema(MANY_KEYWORDS) },
    (args) => text(JSON.stringify(args)),
  );
  mcp.registerTool(
    'test_header_param',
    {
      description: 'Has an argument that is repeated in a header',
      inputSchema: fromJsonSchema<{ region: string }>(MIRRORED_IN_HEADER),
    },
    ({ region }) => text(region),
  );
  registerTalkingTools(mcp);
  return registerTriggers(mcp, lists);
}

function registerTalkingTools(mcp: McpServer): void {
  mcp.registerTool('test_tool_with_logging', { description: 'Logs three lines' }, async ({ mcpReq }) => {
    await mcpReq.log('info', 'Tool execution started');
    await sleep(PAUSE_MS);
    await mcpReq.log('info', 'Tool processing data');
    await sleep(PAUSE_MS);
    await mcpReq.log('info', 'Tool execution completed');
    return text('Logged three lines');
  });
  mcp.registerTool('test_logging_tool', { description: 'Logs a line' }, async ({ mcpReq }) => {
    await mcpReq.log('info', 'A line');
    return text('Logged a line');
  });
  mcp.registerTool('test_tool_with_progress', { description: 'Tells how far it is' }, async ({ mcpReq }) => {
    const progressToken = mcpReq._meta?.progressToken;
    for (const progress of [0, 50, 100]) {
      if (progress > 0) await sleep(PAUSE_MS);
      if (progressToken !== undefined)
        await mcpReq.notify({
          method: 'notifications/progress',
          params: { progressToken, progress, total: 100 },
        });
    }
    return text('All the way');
  });
  mcp.registerTool('test_reconnection', { description: 'Hangs up before it answers' }, async ({ http }) => {
    http?.closeSSE?.();
    await sleep(2 * PAUSE_MS);
    return text('You came back');
  });
}

function registerTriggers(mcp: McpServer, lists: ChangingLists): RegisteredTool {
  const changing = mcp.registerTool('test_changing_tool', { description: 'Comes and goes' }, () =>
    text('Still here'),
  );
  if (!lists.has.tool) changing.update({ enabled: false });
  mcp.registerTool('test_trigger_tool_change', { description: 'Changes the tools' }, () => {
    lists.change('tool');
    return text('Changed');
  });
  mcp.registerTool('test_trigger_prompt_change', { description: 'Changes the prompts' }, () => {
    lists.change('prompt');
    return text('Changed');
  });
  return changing;
}
