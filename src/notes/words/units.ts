/** Text as an array of UTF-16 units: a loop over numbers is several times faster than one over a string. */
let scratch = new Uint16Array(4096);

/** In a place that the next call uses again. The text ends where `text.length` says, with a zero; what follows is old. */
export function unitsOf(text: string): Uint16Array {
  if (scratch.length <= text.length) scratch = new Uint16Array(text.length * 2);
  Buffer.from(scratch.buffer).write(text, 'utf16le');
  scratch[text.length] = 0;
  return scratch;
}
