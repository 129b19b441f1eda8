/** What a server writes to stderr: its last words in memory, more of it in a file, and neither without an end. */
import { createWriteStream, type WriteStream } from 'node:fs';

export const RING_BYTES = 64 * 1024;
export const MAX_LOG_BYTES = 4 * 1024 * 1024;

export interface Complaints {
  write(chunk: Buffer): void;
  /** The last 64 KiB. */
  text(): string;
  close(): void;
}

/** `file` is appended to, readable by its owner only; once a run has filled it, only memory remembers. */
export function openComplaints(file: string | undefined): Complaints {
  let ring: Buffer = Buffer.alloc(0);
  let written = 0;
  let log: WriteStream | undefined;
  if (file !== undefined) {
    log = createWriteStream(file, { flags: 'a', mode: 0o600 });
    // A log that cannot be written must not end the server it is about.
    log.on('error', () => {
      log = undefined;
    });
  }
  return {
    write(chunk) {
      ring = Buffer.concat([ring, chunk]);
      if (ring.length > RING_BYTES) ring = Buffer.from(ring.subarray(ring.length - RING_BYTES));
      const part = chunk.subarray(0, Math.max(MAX_LOG_BYTES - written, 0));
      written += part.length;
      if (part.length > 0) log?.write(part);
    },
    text: () => ring.toString('utf8'),
    close: () => log?.end(),
  };
}
