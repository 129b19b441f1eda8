/** One HTTP request and its answer, in the web's own types, so that a route can be tried without a socket. */
interface Caller {
  /** The address the request comes from, after trusted proxies. */
  readonly address: string;
}

export type Handler = (request: Request, caller: Caller) => Promise<Response>;

export interface Route {
  readonly method: 'GET' | 'POST' | 'DELETE' | 'OPTIONS';
  /** Exactly this path. */
  readonly path: string;
  readonly handle: Handler;
  /** Open to pages of any site, or judging by itself which it listens to. */
  readonly anyOrigin?: true;
  /** May be asked as often as anybody likes. */
  readonly unlimited?: true;
}
