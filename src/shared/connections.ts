/** Connections to addresses that were checked, and to no other; see safe-fetch. */
import { Agent, type ClientRequestArgs } from 'node:http';
import { isIP, type LookupFunction, connect as openSocket } from 'node:net';
import type { Duplex } from 'node:stream';
import { connect as openTlsSocket } from 'node:tls';

/** Where a connection goes. */
export interface Target {
  /** As the address names it: for the Host header and the certificate. */
  readonly host: string;
  readonly port: number;
  readonly secure: boolean;
  /** Checked; nothing else may be connected to. */
  readonly addresses: readonly string[];
}

export function connectTo({ host, port, secure, addresses }: Target): Duplex {
  const options = { host, port, lookup: answering(addresses), autoSelectFamily: addresses.length > 1 };
  if (!secure) return openSocket(options);
  // A certificate is checked against the name that was asked for; an address has none to send along.
  return openTlsSocket({ ...options, servername: isIP(host) === 0 ? host : '', ALPNProtocols: ['http/1.1'] });
}

/** A look-up that has nothing left to look up. */
function answering(addresses: readonly string[]): LookupFunction {
  const known = addresses.map((address) => ({ address, family: isIP(address) }));
  return (_name, { all }, callback) => {
    if (all) callback(null, known);
    else callback(null, known[0]?.address ?? '', known[0]?.family ?? 0);
  };
}

/** Idle connections are closed before a server may think of closing them, which would look like a failed request. */
const IDLE_MS = 4_000;

/** Kept for the next request to the same host. Belong to one caller, who is always allowed the same addresses. */
export class Connections {
  readonly agent: Agent;

  constructor(limit: number) {
    this.agent = new CheckedAgent({
      keepAlive: true,
      maxSockets: limit,
      timeout: IDLE_MS,
      scheduling: 'lifo',
    });
  }

  close(): void {
    this.agent.destroy();
  }
}

/** What a request tells its agent. */
export type CheckedArgs = ClientRequestArgs & { readonly open?: () => Duplex; readonly secure?: boolean };

class CheckedAgent extends Agent {
  override createConnection(options: CheckedArgs): Duplex {
    if (!options.open) throw new Error('only for requests that were checked');
    return options.open();
  }

  override getName(options: CheckedArgs = {}): string {
    return `${options.secure ? 'https' : 'http'}://${options.host}:${options.port}`;
  }
}
