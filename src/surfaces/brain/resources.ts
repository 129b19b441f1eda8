/** The second brain as resources: how it is used, how it stands, and what a search finds. */

import type { Requested } from '../../mcp/requested.ts';
import type { ResourceContent, Resources } from '../../mcp/resources.ts';
import { AppError } from '../../shared/errors.ts';
import { HELP_URI, SCHEME, SEARCH_TEMPLATE, STATUS_URI, searchIn } from './addresses.ts';
import type { BrainBackend } from './backend.ts';
import { completeSearch } from './completion.ts';
import { searchContext } from './context-search.ts';
import { HELP } from './help.ts';
import { onWire } from './wire-keys.ts';

const JSON_TYPE = 'application/json';
const MARKDOWN = 'text/markdown';

const ENTRIES = [
  {
    uri: HELP_URI,
    name: 'help',
    title: 'How to use the second brain',
    description: 'Which tool to use when',
    mimeType: MARKDOWN,
  },
  {
    uri: STATUS_URI,
    name: 'status',
    title: 'How the second brain stands',
    description: 'Notes, index, embedder, model and governed servers',
    mimeType: JSON_TYPE,
  },
];

const TEMPLATES = [
  {
    uriTemplate: SEARCH_TEMPLATE,
    name: 'search',
    title: 'Search the notes',
    description: 'The passages that have most to do with a query',
    mimeType: JSON_TYPE,
  },
];

export function brainResources(backend: BrainBackend): Resources {
  const read = async (uri: string, { signal }: Requested): Promise<ResourceContent> => {
    if (uri === HELP_URI) return { uri, mimeType: MARKDOWN, text: HELP };
    if (uri === STATUS_URI)
      return { uri, mimeType: JSON_TYPE, text: JSON.stringify(onWire(await backend.status())) };
    const search = searchIn(uri);
    if (!search) throw new AppError('not_found', 'Resource not found', { subject: uri.slice(0, 200) });
    return {
      uri,
      mimeType: JSON_TYPE,
      text: JSON.stringify(await searchContext(backend, search, { signal })),
    };
  };
  return {
    isUnwatched: true,
    list: async (cursor) => {
      if (cursor !== undefined)
        throw new AppError('invalid_input', 'Unknown cursor', { hint: 'List again without one.' });
      return { entries: ENTRIES };
    },
    templates: async () => TEMPLATES,
    owns: (uri) => uri.startsWith(SCHEME),
    read: async (uri, request) => [await read(uri, request)],
    canonical: (uri) => uri,
    complete: async (request) =>
      request.of === SEARCH_TEMPLATE ? completeSearch(backend, request) : undefined,
    watch: () => () => {},
  };
}
