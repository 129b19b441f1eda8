/** HTTP routes in web-standard types, so that they can be tested without a socket. */
interface Caller {
  /** The client's address, after trusted proxies. */
  readonly address: string;
}

export type Handler = (request: Request, caller: Caller) => Promise<Response>;

export interface Route {
  readonly method: 'GET' | 'POST' | 'DELETE' | 'OPTIONS';
  /** Exactly this path. */
  readonly path: string;
  readonly handle: Handler;
  /** Allows all origins, or checks the origin itself. */
  readonly anyOrigin?: true;
  /** Exempt from the rate limit. */
  readonly unlimited?: true;
}
