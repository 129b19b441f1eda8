/**
 * Descriptors that a child would get from us by accident. Node closes its own, and those it was started with only
 * up to the first gap; what is left of them is covered with /dev/null in the child.
 */
import { closeSync, openSync, readdirSync, readFileSync } from 'node:fs';

const FIRST_OTHER = 3;
const HIGHEST = 1023;
const CLOSE_ON_EXEC = 0o2000000;

export interface Cover {
  /** What comes after stdin, stdout and stderr in the child. */
  readonly stdio: readonly ('ignore' | number)[];
  /** To be called once the child has been started. */
  close(): void;
}

export function coverInheritedDescriptors(): Cover {
  const inherited = inheritedDescriptors();
  const highest = Math.max(FIRST_OTHER - 1, ...inherited);
  if (inherited.length === 0) return { stdio: [], close: () => undefined };
  const nothing = openSync('/dev/null', 'r');
  const places = Array.from({ length: highest - FIRST_OTHER + 1 }, (_, at) => at + FIRST_OTHER);
  return {
    stdio: places.map((place) => (inherited.includes(place) ? nothing : 'ignore')),
    close: () => closeSync(nothing),
  };
}

/** Only Linux tells; elsewhere what Node does has to do. */
function inheritedDescriptors(): number[] {
  if (process.platform !== 'linux') return [];
  return readdirSync('/proc/self/fd')
    .map(Number)
    .filter((place) => place >= FIRST_OTHER && place <= HIGHEST && isInherited(place));
}

function isInherited(descriptor: number): boolean {
  try {
    const flags = /^flags:\s*([0-7]+)$/m.exec(readFileSync(`/proc/self/fdinfo/${descriptor}`, 'utf8'))?.[1];
    return flags !== undefined && (Number.parseInt(flags, 8) & CLOSE_ON_EXEC) === 0;
  } catch {
    // The one that read the folder is closed by now.
    return false;
  }
}
