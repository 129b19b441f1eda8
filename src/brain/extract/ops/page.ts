/** The first `limit` of what is added, in the order of its keys, beginning behind `after`. Keeps no more than that. */
export function createPage<Item>(limit: number, after: string | undefined) {
  const page: { key: string; item: Item }[] = [];
  let left = 0;
  return {
    /** `itemOf` is asked only for what is on the page for now. */
    add(key: string, itemOf: () => Item): void {
      if (after !== undefined && key <= after) return;
      const last = page.at(-1);
      if (page.length === limit && last !== undefined && key >= last.key) {
        left++;
        return;
      }
      page.splice(placeOf(page, key), 0, { key, item: itemOf() });
      if (page.length > limit) {
        page.pop();
        left++;
      }
    },
    close: () => ({ items: page.map(({ item }) => item), last: page.at(-1)?.key, hasMore: left > 0 }),
  };
}

function placeOf(page: readonly { readonly key: string }[], key: string): number {
  let low = 0;
  let high = page.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (page[middle]!.key <= key) low = middle + 1;
    else high = middle;
  }
  return low;
}
