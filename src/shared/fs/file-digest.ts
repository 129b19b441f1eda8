/** SHA-256 of files, read in pieces: while one is hashed, the next is read. */
import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';

/** An interpreter has a hundred megabytes: small pieces would take three times as long. */
const PIECE = 1024 * 1024;

/** `sha256:` and 64 hex digits. Throws for a file that cannot be read. */
export async function digestOfFile(path: string): Promise<string> {
  const hash = createHash('sha256');
  const file = await open(path);
  try {
    const { size } = await file.stat();
    const read = (into: Buffer) => file.read(into, 0, into.length, null);
    let [piece, other] = [pieceFor(size), pieceFor(size)];
    let next = read(piece);
    for (;;) {
      const { bytesRead } = await next;
      if (bytesRead === 0) break;
      next = read(other);
      hash.update(piece.subarray(0, bytesRead));
      [piece, other] = [other, piece];
    }
  } finally {
    await file.close();
  }
  return `sha256:${hash.digest('hex')}`;
}

function pieceFor(size: number): Buffer {
  return Buffer.allocUnsafe(Math.max(1, Math.min(size, PIECE)));
}
