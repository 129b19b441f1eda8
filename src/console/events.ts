/**
 * Tells open pages that there is something new: server-sent events. The histories are looked at once a second, and only
 * while somebody watches; what is new is compared, not counted, so that no burst and no break of a connection leaves a
 * page behind.
 */
import { type ActivitySource, EVENTS_PATH } from './activity.ts';
import type { Viewer } from './page.ts';
import type { ConsoleStream } from './site.ts';

const LOOK_MS = 1_000;
/** Between two events to one page: while very much changes, a page is renewed less often than it is looked at. */
const PAUSE_MS = 2_000;
const HEARTBEAT_MS = 15_000;
const MOST_STREAMS = 100;
const MOST_OF_ONE_USER = 20;
/** A stream ends after this time; the browser opens another, if it is still signed in. */
const LIFE_MS = 10 * 60_000;
/** Browsers try again after this time. */
const RETRY_MS = 2_000;
const MOST_WAITING = 20;

interface Watcher {
  readonly viewer: Viewer;
  readonly until: number;
  /** What the page shows. */
  mark: string;
  quietUntil: number;
  send(text: string): void;
  end(): void;
}

export interface ConsoleEvents extends ConsoleStream {
  close(): Promise<void>;
}

export function createEvents(
  source: Pick<ActivitySource, 'mark'>,
  onError: (error: unknown) => void,
): ConsoleEvents {
  const watchers = new Set<Watcher>();
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;
  let lastSign = Date.now();

  const look = async () => {
    for (const watcher of [...watchers]) if (watcher.until < Date.now()) watcher.end();
    const marks = new Map<string, Promise<string>>();
    for (const watcher of [...watchers]) {
      const { user, isAdmin } = watcher.viewer;
      const key = isAdmin ? '' : user;
      const known = marks.get(key) ?? source.mark(watcher.viewer);
      marks.set(key, known);
      const mark = await known;
      if (mark === watcher.mark || Date.now() < watcher.quietUntil) continue;
      watcher.mark = mark;
      watcher.quietUntil = Date.now() + PAUSE_MS;
      watcher.send(`event: change\nid: ${mark}\ndata: ${mark}\n\n`);
    }
    if (Date.now() - lastSign < HEARTBEAT_MS) return;
    lastSign = Date.now();
    for (const watcher of watchers) watcher.send(': still here\n\n');
  };
  const schedule = () => {
    if (timer !== undefined || watchers.size === 0 || isClosed) return;
    timer = setTimeout(async () => {
      await look().catch(onError);
      timer = undefined;
      schedule();
    }, LOOK_MS);
  };

  const stream = (viewer: Viewer, mark: string, signal: AbortSignal): ReadableStream<Uint8Array> => {
    const encoder = new TextEncoder();
    let leave = () => {};
    return new ReadableStream({
      start(controller) {
        const send = (text: string) => {
          // A reader that does not keep up has the newest event waiting already.
          if ((controller.desiredSize ?? 0) > -MOST_WAITING) controller.enqueue(encoder.encode(text));
        };
        const end = () => {
          if (!watchers.delete(watcher)) return;
          signal.removeEventListener('abort', end);
          controller.close();
        };
        const watcher: Watcher = { viewer, until: Date.now() + LIFE_MS, mark, quietUntil: 0, send, end };
        leave = () => void watchers.delete(watcher);
        watchers.add(watcher);
        signal.addEventListener('abort', end);
        send(`retry: ${RETRY_MS}\n\n`);
        schedule();
      },
      cancel: () => leave(),
    });
  };

  return {
    path: EVENTS_PATH,
    async open({ viewer, query, signal }) {
      const ofUser = [...watchers].filter((watcher) => watcher.viewer.user === viewer.user).length;
      if (isClosed || watchers.size >= MOST_STREAMS || ofUser >= MOST_OF_ONE_USER)
        return new Response('Too many pages are open', { status: 503, headers: { 'Retry-After': '10' } });
      return new Response(stream(viewer, query.get('mark') ?? '', signal), {
        headers: {
          'Content-Type': 'text/event-stream',
          'Cache-Control': 'no-store',
          'X-Accel-Buffering': 'no',
        },
      });
    },
    async close() {
      isClosed = true;
      clearTimeout(timer);
      for (const watcher of [...watchers]) watcher.end();
    },
  };
}
