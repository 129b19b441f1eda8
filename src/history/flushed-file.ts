/**
 * An append-only file of one process. An append resolves once its bytes are on the disk; appends that wait at the same
 * time share one flush.
 */
import { type FileHandle, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { syncFolder } from '../shared/fs/replace-file.ts';

const ONLY_OWNER = 0o600;

export interface FlushedFile {
  /** Bytes, those that are not written yet included. */
  readonly size: number;
  /** Resolves to the offset of the bytes. Without `flush` they survive the end of the process, not a power cut. */
  append(bytes: Uint8Array, options?: { flush?: boolean }): Promise<number>;
  /** Fewer bytes than asked for at the end of the file. */
  read(offset: number, length: number): Promise<Buffer>;
  close(): Promise<void>;
}

interface Waiting {
  readonly bytes: Uint8Array;
  readonly flush: boolean;
  readonly offset: number;
  resolve(offset: number): void;
  reject(error: unknown): void;
}

/** `wholeBytes`: what stands behind them was torn off by a crash and is cut. */
export async function openFlushedFile(path: string, wholeBytes: number): Promise<FlushedFile> {
  const handle = await open(path, 'a+', ONLY_OWNER);
  try {
    const { size } = await handle.stat();
    if (size > wholeBytes) await handle.truncate(wholeBytes);
    if (size === 0) await syncFolder(dirname(path));
  } catch (error) {
    await handle.close();
    throw error;
  }
  return new Appender(handle, wholeBytes);
}

class Appender implements FlushedFile {
  readonly #handle: FileHandle;
  #waiting: Waiting[] = [];
  #writing: Promise<void> | undefined;
  /** A part of an append that failed stands at the end of the file. */
  #isTorn = false;
  /** Where the last append that did not fail ends. */
  #wholeBytes: number;
  size: number;

  constructor(handle: FileHandle, size: number) {
    this.#handle = handle;
    this.#wholeBytes = size;
    this.size = size;
  }

  append(bytes: Uint8Array, { flush = true }: { flush?: boolean } = {}): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ bytes, flush, offset: this.size, resolve, reject });
      this.size += bytes.length;
      this.#writing ??= this.#writeAll();
    });
  }

  async #writeAll(): Promise<void> {
    while (this.#waiting.length > 0) {
      const batch = this.#waiting;
      this.#waiting = [];
      try {
        await this.#mend();
        const bytes =
          batch.length === 1 ? batch[0]!.bytes : Buffer.concat(batch.map((append) => append.bytes));
        await this.#handle.appendFile(bytes);
        if (batch.some(({ flush }) => flush)) await this.#handle.datasync();
        this.#wholeBytes += bytes.length;
        for (const { resolve, offset } of batch) resolve(offset);
      } catch (error) {
        await this.#giveUp(batch, error);
      }
    }
    this.#writing = undefined;
  }

  /** A disk that is full may have room later: the file ends where the last whole append ended. */
  async #giveUp(batch: readonly Waiting[], error: unknown): Promise<void> {
    this.size = this.#wholeBytes;
    const refused = [...batch, ...this.#waiting];
    this.#waiting = [];
    this.#isTorn = true;
    await this.#mend().catch(() => {});
    for (const { reject } of refused) reject(error);
  }

  /** Nothing is appended behind a torn end: there it could not be found again. */
  async #mend(): Promise<void> {
    if (!this.#isTorn) return;
    await this.#handle.truncate(this.#wholeBytes);
    this.#isTorn = false;
  }

  async read(offset: number, length: number): Promise<Buffer> {
    const buffer = Buffer.allocUnsafe(length);
    const { bytesRead } = await this.#handle.read(buffer, 0, length, offset);
    return buffer.subarray(0, bytesRead);
  }

  async close(): Promise<void> {
    await this.#writing;
    await this.#handle.close();
  }
}
