/** The stream of changes (Rust): sent a moment later, too many at once as one, a new folder's first file not at all. */
import type { ServerResponse } from 'node:http';
import type { Disk } from './disk.ts';

const SETTLE_MS = 80;
const MOST_SENT_ONE_BY_ONE = 20;

interface ChangeEvent {
  readonly name: string;
  readonly action: 'change' | 'delete';
  readonly lastModified: number;
}

export class Events {
  readonly #disk: Disk;
  readonly #folders = new Set<string>();
  readonly #listeners = new Set<ServerResponse>();
  readonly #pending = new Map<string, ChangeEvent>();
  #timer: NodeJS.Timeout | undefined;

  constructor(disk: Disk) {
    this.#disk = disk;
  }

  get listening(): number {
    return this.#listeners.size;
  }

  listen(response: ServerResponse): void {
    response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
    response.flushHeaders();
    this.#listeners.add(response);
    response.once('close', () => this.#listeners.delete(response));
  }

  changed(name: string, isNew: boolean): void {
    const folder = folderOf(name);
    const isWatched = !isNew || folder === '' || this.#folders.has(folder) || this.#hasOther(folder, name);
    this.#folders.add(folder);
    if (isWatched)
      this.#send({ name, action: 'change', lastModified: this.#disk.files.get(name)?.lastModified ?? 0 });
  }

  removed(name: string): void {
    const folder = folderOf(name);
    if (folder !== '' && !this.#disk.isFolder(folder)) {
      this.#folders.delete(folder);
      this.#send({ name: folder, action: 'delete', lastModified: 0 });
    }
    this.#send({ name, action: 'delete', lastModified: 0 });
  }

  /** Ends every stream, as a restart does. */
  drop(): void {
    for (const response of this.#listeners) response.destroy();
  }

  close(): void {
    clearTimeout(this.#timer);
    this.drop();
  }

  #hasOther(folder: string, name: string): boolean {
    return [...this.#disk.files.keys()].some((other) => other !== name && other.startsWith(`${folder}/`));
  }

  #send(event: ChangeEvent): void {
    this.#pending.set(event.name, event);
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      const all = [...this.#pending.values()];
      this.#pending.clear();
      const lines = all.length > MOST_SENT_ONE_BY_ONE ? [{ action: 'resync' }] : all;
      for (const line of lines)
        for (const response of this.#listeners) response.write(`data: ${JSON.stringify(line)}\n\n`);
    }, SETTLE_MS);
  }
}

function folderOf(name: string): string {
  return name.slice(0, Math.max(0, name.lastIndexOf('/')));
}
