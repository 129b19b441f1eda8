/** What a store that makes several changes together is given at a time: more takes too much memory and time. */
const MOST_FILES = 1000;
const MOST_BYTES = 64 * 1024 * 1024;

export function fitsOneChange(files: number, bytes: number): boolean {
  return files <= MOST_FILES && bytes <= MOST_BYTES;
}
