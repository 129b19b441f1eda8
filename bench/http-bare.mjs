// The SDK's own handler with one tool that reads a file, on node:http and nothing else: what a server costs that
// checks nothing. Prints its address.
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import * as z from 'zod';

const [folder] = process.argv.slice(2);
const input = z.object({ path: z.string() });
const handler = createMcpHandler(() => {
  const server = new McpServer({ name: 'bare', version: '1' });
  server.registerTool('read_note', { description: 'Read a note', inputSchema: input }, async ({ path }) => ({
    content: [{ type: 'text', text: await readFile(join(folder, path), 'utf8') }],
  }));
  return server;
});
const server = createServer(toNodeHandler(handler));
server.listen(0, '127.0.0.1', () => process.stdout.write(`http://127.0.0.1:${server.address().port}\n`));
process.on('SIGTERM', () => process.exit());
