/**
 * Fair sharing of a bounded number of places (sessions, streams). One caller alone may have all of them; when they are
 * taken, a newcomer gets one of the caller who has most. So no caller can keep others out, or take all places of another.
 */
export interface Place {
  /** Id of the caller. */
  readonly owner: string;
  /** Whether a request or a stream is open in it. */
  readonly isBusy: boolean;
  /** Milliseconds since 1970. */
  readonly usedAt: number;
}

/** The place to free for a newcomer; undefined when the newcomer has its share, and all of it is in use. */
export function placeToFree<P extends Place>(places: Iterable<P>, newcomer: string): P | undefined {
  const all = [...places];
  const counts = new Map<string, number>();
  for (const { owner } of all) counts.set(owner, (counts.get(owner) ?? 0) + 1);
  const own = counts.get(newcomer) ?? 0;
  const most = Math.max(0, ...counts.values());
  // The other must still have as many afterwards, or the two would take a place from each other in turns.
  const mayTake = own + 1 < most;
  const candidates = all.filter(({ owner, isBusy }) =>
    mayTake ? counts.get(owner) === most : owner === newcomer && !isBusy,
  );
  return candidates.reduce<P | undefined>(
    (best, place) => (best && !isFreer(place, best) ? best : place),
    undefined,
  );
}

function isFreer(place: Place, other: Place): boolean {
  return place.isBusy === other.isBusy ? place.usedAt < other.usedAt : !place.isBusy;
}
