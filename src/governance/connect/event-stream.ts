/** Server-sent events without an end to one of them would fill the memory of who waits for it. */

const NEWLINE = 10;
const RETURN = 13;

/** Throws at the first event that has more bytes. Events end with an empty line. */
export function capEvents(maxBytes: number): (chunk: Uint8Array) => void {
  let held = 0;
  let isLineEmpty = true;
  return (chunk) => {
    for (const byte of chunk) {
      held++;
      if (byte === NEWLINE) {
        if (isLineEmpty) held = 0;
        isLineEmpty = true;
      } else if (byte !== RETURN) isLineEmpty = false;
      if (held > maxBytes) throw new RangeError(`An event has more than ${maxBytes} bytes`);
    }
  };
}
