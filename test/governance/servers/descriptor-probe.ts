/** Run as a process of its own, started with descriptors it did not ask for: what does a server get of them? */
import { StdioTransport } from '../../../src/upstream/stdio.ts';

const [server = '', cwd = ''] = process.argv.slice(2);
const launch = { file: process.execPath, args: [server], cwd, env: {} };
const transport = new StdioTransport({ name: 'probed', launch });
transport.onmessage = async (message) => {
  const { result } = message as unknown as { result: { content: { text: string }[] } };
  process.stdout.write(result.content[0]?.text ?? '');
  await transport.close();
};
await transport.start();
await transport.send({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'where' } });
