/** Depth of JSON values: what is nested deeper than anything honest would end the recursion of every reader with a stack overflow. */

export const MAX_NESTING = 100;

/** Level by level, without recursion. */
export function isNestedDeeper(value: unknown, most: number = MAX_NESTING): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth >= most) return true;
    const next: unknown[] = [];
    for (const item of level)
      if (typeof item === 'object' && item !== null)
        for (const inner of Object.values(item))
          if (typeof inner === 'object' && inner !== null) next.push(inner);
    level = next;
  }
  return false;
}
