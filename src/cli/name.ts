/** The program has two names, `quire` and `sb`, and speaks of itself by the one it was called by. */
import { basename } from 'node:path';

export function nameOf(argv: readonly string[]): 'quire' | 'sb' {
  const called = basename(argv[1] ?? '').replace(/\.\w+$/, '');
  return called === 'sb' ? 'sb' : 'quire';
}

/** Only where it is the command: `quire.yaml` stays what it is. */
export function inNameOf(name: string, text: string): string {
  return name === 'quire' ? text : text.replace(/\bquire(?=[\s:])/g, name);
}
