/** The one request that a login waits for: a browser on this machine that comes back from the authorization server. */
import { timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { AppError } from '../../shared/errors.ts';

export interface Callback {
  readonly redirectUrl: string;
  /** What it came back with. Rejects when the signal is aborted. */
  arrived(signal: AbortSignal): Promise<URLSearchParams>;
  close(): void;
}

const HOST = '127.0.0.1';
const PATH = '/callback';
const REQUEST_MS = 10_000;
const DONE = 'You can close this page and go back to the terminal.\n';

/** Only who brings `state` is listened to. `port` 0 is any free one. */
export async function listenForCallback(state: string, port: number): Promise<Callback> {
  let tell: (parameters: URLSearchParams) => void = () => {};
  const came = new Promise<URLSearchParams>((resolve) => {
    tell = resolve;
  });
  const server = createServer(
    { requestTimeout: REQUEST_MS, headersTimeout: REQUEST_MS },
    (request, response) => answer(request, response, { state, tell }),
  );
  server.maxConnections = 16;
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause) => reject(notListening(port, cause)));
    server.listen(port, HOST, resolve);
  });
  const { port: taken } = server.address() as AddressInfo;
  return {
    redirectUrl: `http://${HOST}:${taken}${PATH}`,
    arrived: (signal) =>
      new Promise((resolve, reject) => {
        const give = () => reject(signal.reason);
        if (signal.aborted) return give();
        signal.addEventListener('abort', give, { once: true });
        came.then(resolve, reject).finally(() => signal.removeEventListener('abort', give));
      }),
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

interface Waiting {
  readonly state: string;
  readonly tell: (parameters: URLSearchParams) => void;
}

function answer(request: IncomingMessage, response: ServerResponse, { state, tell }: Waiting): void {
  const url = URL.canParse(request.url ?? '', `http://${HOST}`)
    ? new URL(request.url ?? '', `http://${HOST}`)
    : undefined;
  const isMeant = request.method === 'GET' && url?.pathname === PATH;
  const isOurs = isMeant && isSame(url.searchParams.get('state') ?? '', state);
  response
    .writeHead(isOurs ? 200 : 404, {
      'Content-Type': 'text/plain; charset=utf-8',
      'Cache-Control': 'no-store',
      'Referrer-Policy': 'no-referrer',
      Connection: 'close',
    })
    .end(isOurs ? DONE : 'Nothing is here.\n');
  if (isOurs) tell(url.searchParams);
}

function isSame(given: string, wanted: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(wanted)];
  return one.length === other.length && timingSafeEqual(one, other);
}

function notListening(port: number, cause: unknown): AppError {
  return new AppError('conflict', 'Cannot listen for the browser to come back', {
    subject: `${HOST}:${port}`,
    hint: 'Free the port, or change oauth.redirect_port.',
    cause,
  });
}
