/** Connections pinned to addresses that were checked before; see safe-fetch. */
import { Agent, type ClientRequestArgs } from 'node:http';
import { isIP, type LookupFunction, connect as openSocket } from 'node:net';
import type { Duplex } from 'node:stream';
import { connect as openTlsSocket } from 'node:tls';

/** The target of a connection. */
export interface Target {
  /** The host as written in the URL, for the Host header and certificate validation. */
  readonly host: string;
  readonly port: number;
  readonly secure: boolean;
  /** The checked addresses; no other may be connected to. */
  readonly addresses: readonly string[];
}

export function connectTo({ host, port, secure, addresses }: Target): Duplex {
  const options = { host, port, lookup: answering(addresses), autoSelectFamily: addresses.length > 1 };
  if (!secure) return openSocket(options);
  // The certificate is validated against the requested name; SNI must not be sent for an IP address.
  return openTlsSocket({ ...options, servername: isIP(host) === 0 ? host : '', ALPNProtocols: ['http/1.1'] });
}

/** A DNS lookup function that returns the checked addresses. */
function answering(addresses: readonly string[]): LookupFunction {
  const known = addresses.map((address) => ({ address, family: isIP(address) }));
  return (_name, { all }, callback) => {
    if (all) callback(null, known);
    else callback(null, known[0]?.address ?? '', known[0]?.family ?? 0);
  };
}

/**
 * Shorter than common keep-alive timeouts of servers, so that a request never meets a connection that is being
 * closed.
 */
const IDLE_MS = 4_000;

/** Request arguments, as passed to the agent. */
export type CheckedArgs = ClientRequestArgs & { readonly open?: () => Duplex; readonly secure?: boolean };

/** Keep-alive connections per host. Owned by one caller, whose allowed addresses never change. */
export class Connections extends Agent {
  constructor(limit: number) {
    super({ keepAlive: true, maxSockets: limit, timeout: IDLE_MS, scheduling: 'lifo' });
  }

  override createConnection(options: CheckedArgs): Duplex {
    if (!options.open) throw new Error('only for requests that were checked');
    return options.open();
  }

  override getName(options: CheckedArgs = {}): string {
    return `${options.secure ? 'https' : 'http'}://${options.host}:${options.port}`;
  }
}
