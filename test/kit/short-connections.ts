/**
 * `fetch` closes its connections when they have nothing to do, instead of keeping them for the next request: a server that
 * ends waits half a second for each that is still open.
 */
const DISPATCHER = Symbol.for('undici.globalDispatcher.1');

interface Dispatcher {
  readonly constructor: new (options: object) => Dispatcher;
}

export function useShortConnections(): void {
  // Node makes its own at the first request.
  fetch('data:,').catch(() => {});
  const globals = globalThis as { [DISPATCHER]?: Dispatcher };
  const Agent = globals[DISPATCHER]?.constructor;
  if (Agent) globals[DISPATCHER] = new Agent({ keepAliveTimeout: 1, keepAliveMaxTimeout: 1 });
}
