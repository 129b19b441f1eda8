/** What changed between two definitions, in lines somebody can read. */
import type { Definition } from '../types.ts';
import { showHidden } from './scan/hidden.ts';
import { maskSecrets } from './scan/secrets.ts';

const MAX_LINES = 100;
const MAX_VALUE = 300;
const MAX_DEPTH = 20;

/** `- place: old` and `+ place: new`, in the order of the places. */
export function diffDefinitions(before: Definition, after: Definition): string[] {
  const old = flatten(before);
  const now = flatten(after);
  const places = [...new Set([...old.keys(), ...now.keys()])].sort();
  const lines = places
    .filter((place) => old.get(place) !== now.get(place))
    .flatMap((place) => [...line('-', place, old.get(place)), ...line('+', place, now.get(place))]);
  const more = lines.length - MAX_LINES;
  return more > 0 ? [...lines.slice(0, MAX_LINES), `… ${more} more lines`] : lines;
}

function line(sign: string, place: string, value: string | undefined): string[] {
  if (value === undefined) return [];
  const shown = showHidden(maskSecrets(value.slice(0, 2 * MAX_VALUE)));
  return [
    `${sign} ${showHidden(place)}: ${shown.length > MAX_VALUE ? `${shown.slice(0, MAX_VALUE)}…` : shown}`,
  ];
}

function flatten(definition: Definition): Map<string, string> {
  const lines = new Map<string, string>();
  const walk = (value: unknown, place: string, depth: number): void => {
    const isBranch = typeof value === 'object' && value !== null && Object.keys(value).length > 0;
    if (!isBranch || depth >= MAX_DEPTH) {
      if (value !== undefined) lines.set(place, JSON.stringify(value));
      return;
    }
    for (const [name, inner] of Object.entries(value))
      walk(inner, place === '' ? name : `${place}.${name}`, depth + 1);
  };
  walk(definition, '', 0);
  return lines;
}
