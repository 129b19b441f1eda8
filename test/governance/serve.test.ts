/** A file with the plane's sections in front of the binary. */
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startHttp } from '../kit/http.ts';
import { putFile, temporaryFolder } from '../kit/temp.ts';

async function serve(planeLines: string) {
  const folder = await temporaryFolder({ 'notes/a.md': 'a' });
  const notebooks = 'notebooks: { personal: { folder: ./notes } }\nserve: { port: 0 }\n';
  await putFile(folder, 'quire.yaml', `${notebooks}${planeLines}`);
  return startHttp(['serve', '--config', join(folder, 'quire.yaml')]);
}

test('a server with a plane starts, though a variable of the plane is not set', async () => {
  const server = await serve(
    `control_plane: { mcp_servers: [{ name: a, transport: stdio, command: uvx, env: { K: "\${env:NOT_SET}" } }] }\n`,
  );
  expect((await fetch(new URL('/healthz', server.origin))).status).toBe(200);
});

test('a mistake in the plane ends the start with 3 and names the key', async () => {
  await expect(serve('control_plane: { mcp_polcy: [] }\n')).rejects.toThrow(
    'exited with 3: quire: config: control_plane.mcp_polcy: unknown key (did you mean mcp_policy?)',
  );
});
