/** What `quire mcp add` is asked to add: an address, a server of the catalogue, an npm package, or a command. */
import { AppError } from '../../shared/errors.ts';
import { nearest } from '../../shared/nearest.ts';
import { printable } from '../../shared/printable.ts';
import type { MarketEntry } from '../marketplace/entry.ts';

export type AddTarget =
  | { readonly kind: 'address'; readonly url: string }
  | { readonly kind: 'catalogue'; readonly entry: MarketEntry; readonly words: readonly string[] }
  | { readonly kind: 'npm'; readonly package: NpmPackage; readonly words: readonly string[] }
  | { readonly kind: 'command'; readonly command: string; readonly words: readonly string[] };

export interface NpmPackage {
  readonly name: string;
  /** Exact, or undefined for the newest. */
  readonly version?: string;
}

const NPM =
  /^((?:@[a-z0-9~-][a-z0-9._~-]*\/)?[a-z0-9~-][a-z0-9._~-]*)(?:@(\d+\.\d+\.\d+(?:[-+][A-Za-z0-9.+-]+)?))?$/;

/** `first` is what to add, `words` are its arguments. A command is a path, or follows `--command`. */
export function targetOf(
  first: string,
  words: readonly string[],
  { entries, isCommand }: { readonly entries: readonly MarketEntry[]; readonly isCommand: boolean },
): AddTarget {
  if (isCommand || /^[./~]/.test(first)) return { kind: 'command', command: first, words };
  if (/^https?:\/\//i.test(first)) return addressOf(first, words);
  const entry = entries.find(({ name }) => name === first || name.slice(name.indexOf('/') + 1) === first);
  if (entry) return { kind: 'catalogue', entry, words };
  const [, name, version] = NPM.exec(first) ?? [];
  // A bare word is more often a misspelt name of the catalogue than a package.
  if (name !== undefined && (name.startsWith('@') || version !== undefined))
    return { kind: 'npm', package: { name, version }, words };
  throw unknownTarget(first, entries);
}

function addressOf(url: string, words: readonly string[]): AddTarget {
  if (words.length > 0)
    throw new AppError('invalid_input', 'An address takes no arguments', {
      subject: printable(words.join(' '), 100),
      hint: `Headers belong in the configuration: headers: { Authorization: "Bearer \${env:NAME}" }.`,
    });
  return { kind: 'address', url };
}

function unknownTarget(word: string, entries: readonly MarketEntry[]): AppError {
  const names = entries.map(({ name }) => name.slice(name.indexOf('/') + 1));
  const near = nearest(word, names);
  return new AppError(
    'not_found',
    'Neither a server of the catalogue, nor a package, an address or a command',
    {
      subject: printable(word, 100),
      hint: [
        ...(near === undefined ? [] : [`Did you mean ${near}?`]),
        'A package of npm is named with its version or scope: @scope/name, name@1.2.3. A program by its path, or after --command. See what there is: quire mcp marketplace',
      ].join(' '),
    },
  );
}
