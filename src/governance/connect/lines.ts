/** Bytes that come in any pieces, as lines with a limit. */

const NEWLINE = 10;

export interface LineSink {
  line(text: string): void;
  /** A line without an end in sight; nothing more is read after it. */
  tooLong(): void;
}

export function createLineReader(maxBytes: number, sink: LineSink): (chunk: Buffer) => void {
  let pieces: Buffer[] = [];
  let held = 0;
  let isOver = false;

  function finish(tail: Buffer): void {
    const text = Buffer.concat([...pieces, tail]).toString('utf8');
    pieces = [];
    held = 0;
    sink.line(text);
  }

  function giveUp(): void {
    isOver = true;
    pieces = [];
    sink.tooLong();
  }

  return (chunk) => {
    let from = 0;
    while (!isOver && from < chunk.length) {
      const end = chunk.indexOf(NEWLINE, from);
      const piece = chunk.subarray(from, end === -1 ? chunk.length : end);
      if (held + piece.length > maxBytes) return giveUp();
      if (end === -1) {
        pieces.push(piece);
        held += piece.length;
        return;
      }
      finish(piece);
      from = end + 1;
    }
  };
}
