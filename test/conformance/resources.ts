/** Resources of the test surface. Subscribers are notified of changes. */
import { type McpServer, ResourceTemplate } from '@modelcontextprotocol/server';
import type { Resources } from '../../src/mcp/offers.ts';
import { RED_PIXEL_PNG } from './samples.ts';

export const WATCHED = 'test://watched-resource';

export type Changes = Pick<Resources, 'watch'>;

/** With `changes` clients can subscribe here; without, the server of the surface has other means for that. */
export function registerResources(mcp: McpServer, changes?: Changes): void {
  mcp.registerResource(
    'static-text',
    'test://static-text',
    { description: 'Always the same text', mimeType: 'text/plain' },
    ({ href: uri }) => ({
      contents: [{ uri, mimeType: 'text/plain', text: 'This is the content of the static text resource.' }],
    }),
  );
  mcp.registerResource(
    'static-binary',
    'test://static-binary',
    { description: 'Always the same picture', mimeType: 'image/png' },
    ({ href: uri }) => ({ contents: [{ uri, mimeType: 'image/png', blob: RED_PIXEL_PNG }] }),
  );
  mcp.registerResource(
    'watched-resource',
    WATCHED,
    { description: 'One to subscribe to', mimeType: 'text/plain' },
    ({ href: uri }) => ({ contents: [{ uri, mimeType: 'text/plain', text: 'Watched' }] }),
  );
  mcp.registerResource(
    'template',
    new ResourceTemplate('test://template/{id}/data', { list: undefined }),
    { description: 'Data for an id', mimeType: 'application/json' },
    ({ href: uri }, { id }) => {
      const data = { id, templateTest: true, data: `Data for ID: ${id}` };
      return { contents: [{ uri, mimeType: 'application/json', text: JSON.stringify(data) }] };
    },
  );
  if (changes) registerSubscriptions(mcp, changes);
}

function registerSubscriptions({ server }: McpServer, changes: Changes): void {
  const subscribed = new Set<string>();
  server.setRequestHandler('resources/subscribe', ({ params }) => {
    subscribed.add(params.uri);
    return {};
  });
  server.setRequestHandler('resources/unsubscribe', ({ params }) => {
    subscribed.delete(params.uri);
    return {};
  });
  server.onclose = changes.watch({
    updated: (uri) => {
      if (subscribed.has(uri)) void server.sendResourceUpdated({ uri });
    },
    listChanged: () => void server.sendResourceListChanged(),
  });
}
