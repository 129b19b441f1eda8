/**
 * Places that several callers share. Whoever is alone may have all of them; when they are full, room for one caller
 * is made by whoever has most. So nobody can keep others out, and nobody ends what is others'.
 */
export interface Place {
  /** The id of the caller who has it. */
  readonly owner: string;
  /** Whether something is going on there. */
  readonly isBusy: boolean;
  /** Milliseconds since 1970. */
  readonly usedAt: number;
}

/** The place to end for a newcomer; undefined when the newcomer has as many as anybody, and all of them are in use. */
export function placeToFree<P extends Place>(places: Iterable<P>, newcomer: string): P | undefined {
  const all = [...places];
  const counts = new Map<string, number>();
  for (const { owner } of all) counts.set(owner, (counts.get(owner) ?? 0) + 1);
  const own = counts.get(newcomer) ?? 0;
  const most = Math.max(0, ...counts.values());
  // With one less the other still has as many as the newcomer with one more: nobody takes turns in ending the other's.
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
