/** The resources of several behind one endpoint: each answers for the URIs that are its own. */
import { AppError } from '../shared/errors.ts';
import type { ResourcePage, Resources } from './resources.ts';

export function joinResources(parts: readonly Resources[]): Resources {
  const ownerOf = (uri: string): Resources => {
    const owner = parts.find((part) => part.owns(uri));
    if (!owner) throw new AppError('not_found', 'Resource not found', { subject: uri.slice(0, 200) });
    return owner;
  };
  return {
    ...(parts.every(({ isUnwatched }) => isUnwatched) && { isUnwatched: true }),
    list: (cursor) => listFrom(parts, cursor),
    templates: async () => (await Promise.all(parts.map((part) => part.templates()))).flat(),
    owns: (uri) => parts.some((part) => part.owns(uri)),
    read: async (uri, request) => ownerOf(uri).read(uri, request),
    canonical: (uri) => ownerOf(uri).canonical(uri),
    subscribe: async (uri, caller) => (await ownerOf(uri).subscribe?.(uri, caller)) ?? (() => {}),
    async complete(request) {
      for (const part of parts) {
        const completion = await part.complete(request);
        if (completion) return completion;
      }
      return undefined;
    },
    watch(events) {
      const stops = parts.map((part) => part.watch(events));
      return () => {
        for (const stop of stops) stop();
      };
    },
  };
}

/** A cursor says whose page comes next, and that one's own cursor. */
async function listFrom(parts: readonly Resources[], cursor: string | undefined): Promise<ResourcePage> {
  const { 1: first = '0', 2: own = '' } = /^(\d{1,3}):(.*)$/s.exec(cursor ?? '0:') ?? [];
  if (cursor !== undefined && !/^\d{1,3}:/.test(cursor))
    throw new AppError('invalid_input', 'Unknown cursor', { hint: 'List again without one.' });
  let at = Number(first);
  let next: string | undefined = own === '' ? undefined : own;
  for (; at < parts.length; at++) {
    const page = await (parts[at] as Resources).list(next);
    next = undefined;
    if (page.nextCursor !== undefined) return { ...page, nextCursor: `${at}:${page.nextCursor}` };
    if (page.entries.length === 0) continue;
    return at + 1 < parts.length ? { ...page, nextCursor: `${at + 1}:` } : page;
  }
  return { entries: [] };
}
