/** Every text of a definition or a result, with its place. */

export interface PlacedText {
  readonly where: string;
  readonly text: string;
}

export interface Texts {
  readonly texts: readonly PlacedText[];
  /** There was more than is looked at. */
  readonly isCut: boolean;
}

const MAX_TEXTS = 4_000;
const MAX_CHARACTERS = 512 * 1024;
const MAX_DEPTH = 40;
const MAX_PLACE = 120;

export function textsOf(value: unknown): Texts {
  const texts: PlacedText[] = [];
  let left = MAX_CHARACTERS;
  let isCut = false;
  const add = (where: string, text: string) => {
    if (texts.length >= MAX_TEXTS || left < text.length) isCut = true;
    if (texts.length >= MAX_TEXTS || left <= 0) return;
    texts.push({ where: where.slice(0, MAX_PLACE), text: text.slice(0, left) });
    left -= text.length;
  };
  const walk = (item: unknown, where: string, depth: number): void => {
    if (typeof item === 'string') add(where, item);
    if (typeof item !== 'object' || item === null || isCut) return;
    if (depth > MAX_DEPTH) {
      isCut = true;
      return;
    }
    const isList = Array.isArray(item);
    for (const [name, inner] of Object.entries(item)) {
      const place = isList ? `${where}[${name}]` : where === '' ? name : `${where}.${name}`;
      // Names of properties are read by the model like any other text.
      if (!isList && where !== '') add(`${place} (name)`, name);
      walk(inner, place, depth + 1);
    }
  };
  walk(value, '', 0);
  return { texts, isCut };
}
