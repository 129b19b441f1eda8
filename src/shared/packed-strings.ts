/** Very many strings as one array of bytes, which is quick to hand to another thread or to write; none may hold a NUL. */
export function packStrings(strings: Iterable<string>): Uint8Array {
  return Buffer.from([...strings].join('\0'));
}

/** `count` tells no strings from one that is empty. */
export function unpackStrings({ buffer, byteOffset, length }: Uint8Array, count: number): string[] {
  return count === 0 ? [] : Buffer.from(buffer, byteOffset, length).toString().split('\0');
}
