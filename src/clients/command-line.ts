/** A command as one line for a shell. */
import type { Launch } from './client.ts';

export function commandLine({ command, args }: Launch): string {
  return [command, ...args].map(quoted).join(' ');
}

function quoted(word: string): string {
  if (/^[\w@%+=:,./-]+$/.test(word)) return word;
  // A Windows path is quoted as its shells do, in which a backslash is an ordinary character.
  return /^[A-Za-z]:\\/.test(word) ? `"${word}"` : `'${word.replaceAll("'", `'\\''`)}'`;
}
