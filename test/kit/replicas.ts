/** Several servers of the built binary over one state, behind a plain round-robin proxy on loopback. */
import { onTestFinished } from 'vitest';
import { freePort, type HttpServer, startHttp } from './http.ts';
import { type RoundRobinProxy, startRoundRobin } from './round-robin.ts';

export async function startProxy(targets: readonly string[] = []): Promise<RoundRobinProxy> {
  const proxy = await startRoundRobin(targets);
  onTestFinished(() => proxy.close());
  return proxy;
}

export interface Replica extends HttpServer {
  /** The address of this server alone, past the proxy. */
  readonly address: string;
}

export interface Replicas {
  /** The address of the proxy, which is the public one of all of them. */
  readonly origin: string;
  readonly proxy: RoundRobinProxy;
  readonly servers: readonly Replica[];
  /** One more, which takes turns with the others as soon as it listens. */
  add(): Promise<Replica>;
}

interface ReplicaOptions {
  /** Address of the database they share. */
  readonly database: string;
  /** After `quire serve`: folders and flags. */
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** The program that was built last, `count` times. They are started one after another: two processors are shared. */
export async function startReplicas(count: number, options: ReplicaOptions): Promise<Replicas> {
  const proxy = await startProxy();
  const servers: Replica[] = [];
  const add = async () => {
    const port = await freePort();
    const address = `http://127.0.0.1:${port}`;
    const place = ['--port', `${port}`, '--public-url', proxy.origin, '--trusted-proxies', '127.0.0.1'];
    const server = await startHttp(['serve', ...options.args, ...place], {
      QUIRE_STATE: options.database,
      ...options.env,
    });
    const replica = { ...server, address };
    servers.push(replica);
    proxy.targets = [...proxy.targets, address];
    return replica;
  };
  for (let at = 0; at < count; at++) await add();
  return { origin: proxy.origin, proxy, servers, add };
}
