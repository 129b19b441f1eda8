import type { Listing, ListingToken, NoteMeta, NoteStore } from '../../src/notes/store.ts';

export function listingOf(files: readonly NoteMeta[], token?: ListingToken): Listing {
  return {
    paths: files.map(({ path }) => path),
    sizes: files.map(({ size }) => size),
    times: files.map(({ lastModified }) => lastModified),
    token,
  };
}

/** Everything in the store, as it tells of it at the first listing. */
export async function firstListing(store: NoteStore): Promise<Listing> {
  const { changed, token } = await store.relist!(listingOf([]));
  return listingOf(changed, token);
}
