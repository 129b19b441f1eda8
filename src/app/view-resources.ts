/** The page of the MCP App as a resource. Hosts find it by the tools that name it, so it is not listed. */
import type { Resources } from '../mcp/offers.ts';
import { VIEW_TYPE } from '../mcp/request.ts';
import { AppError } from '../shared/errors.ts';
import { VIEW_META, VIEW_URI, viewPage } from '../surfaces/history/app/view.ts';
import type { ServerSurface } from './notebooks.ts';
import type { ViewKeys } from './view-keys.ts';

/** Undefined where no tool has a view. */
export function viewResources(
  { limited }: Pick<ServerSurface, 'limited'>,
  keys: ViewKeys,
): Resources | undefined {
  const uris = new Set(limited.surface.tools.flatMap(({ view }) => (view ? [view.uri] : [])));
  if (uris.size === 0) return undefined;
  return {
    isUnwatched: true,
    list: async () => ({ entries: [] }),
    templates: async () => [],
    owns: (uri) => uris.has(uri),
    canonical: (uri) => uri,
    complete: async () => undefined,
    read: async (uri, request) => {
      if (!uris.has(uri)) throw new AppError('not_found', 'Resource not found', { subject: uri });
      const notebook = uri.slice(VIEW_URI.length + 1);
      const prefix = notebook === '' ? '' : `${notebook}_`;
      const text = viewPage({ uri, pageKey: keys.pageKey(request), prefix });
      return [{ uri, mimeType: VIEW_TYPE, text, _meta: VIEW_META }];
    },
    watch: () => () => {},
  };
}
