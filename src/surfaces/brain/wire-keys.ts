/** The one place where names of ours become those of the wire: `lineStart` is `line_start` there. */
export type WireValue = Record<string, unknown>;

export function onWire(value: object): WireValue {
  const renamed = Object.entries(value).flatMap(([key, item]): [string, unknown][] =>
    item === undefined ? [] : [[snakeCase(key), renamedIn(item)]],
  );
  return Object.fromEntries(renamed);
}

function renamedIn(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(renamedIn);
  return typeof value === 'object' && value !== null ? onWire(value) : value;
}

function snakeCase(key: string): string {
  return key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
