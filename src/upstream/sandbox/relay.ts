/**
 * A sandbox that reaches some hosts has a network namespace of its own, with nothing but loopback. In it, beside the
 * server's own sandbox, runs a relay. For each host it listens on an address of 127.0.0.0/8, which `/etc/hosts` of the
 * server gives that host, and on the host's port; and on one more as a proxy, for programs that ask for one. All it does
 * is to pass bytes to the socket of `egress.ts`, which decides. It also answers the questions for other names (DNS, RFC
 * 1035): there are none, and `egress.ts` is told, so that it shows what was denied. The server has neither the relay's one
 * right, to listen on ports below 1024, nor a way to the socket. TLS is between the server and the host.
 */
import type { ChildProcess } from 'node:child_process';
import { isIP, type Socket } from 'node:net';
import { type HostPort, hostListOf, hostPortText } from '../../shared/host-list.ts';
import { isLoopbackHost } from '../../shared/ip-ranges.ts';
import type { Launch } from './backends.ts';
import { SOCKET_NAME } from './egress.ts';

interface Door {
  readonly address: string;
  readonly port: number;
  /** Where it leads; undefined for the proxy, which is told by each connection. */
  readonly to?: string;
}

interface RelayOrder {
  readonly socket: string;
  readonly doors: readonly Door[];
  readonly command: readonly string[];
  /** The environment of the server, of which the relay itself has nothing. */
  readonly env: Readonly<Record<string, string>>;
}

const PROXY: Door = { address: '127.88.0.1', port: 3128 };
const PROXY_URL = `http://${PROXY.address}:${PROXY.port}`;
const THIS_MACHINE = '127.0.0.1';

/** Programs know it by either spelling. */
const PROXY_VARIABLES = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY'].flatMap((name) => [
  name,
  name.toLowerCase(),
]);

const PROXY_ENVIRONMENT: Readonly<Record<string, string>> = {
  ...Object.fromEntries(PROXY_VARIABLES.map((name) => [name, PROXY_URL])),
  NO_PROXY: 'localhost,127.0.0.1,::1',
  no_proxy: 'localhost,127.0.0.1,::1',
  NODE_USE_ENV_PROXY: '1',
};

/** The exact names of a list, each with an address of its own, and the loopback addresses that it names. */
function addressedHosts(list: readonly string[]): ReadonlyMap<string, string> {
  const hosts = [...new Set(hostListOf(list).entries.map(({ host }) => host))];
  const named = hosts.filter((host) => isIP(host) === 0 && !host.startsWith('*.') && !isLoopbackHost(host));
  const local = hosts.filter((host) => isIP(host) !== 6 && isLoopbackHost(host));
  return new Map([
    ...named.map((host, at) => [host, `127.88.1.${at + 1}`] as const),
    ...local.map((host) => [host, isIP(host) === 4 ? host : THIS_MACHINE] as const),
  ]);
}

/** Files by which programs find hosts. Names that are not in the first do not resolve: the relay says so. */
export function nameFiles(list: readonly string[]): Readonly<Record<string, string>> {
  const addresses = new Map([['localhost', THIS_MACHINE], ...addressedHosts(list)]);
  const names = [...addresses].filter(([host]) => isIP(host) === 0);
  return {
    '/etc/hosts': names.map(([host, address]) => `${address} ${host}\n`).join(''),
    '/etc/nsswitch.conf': 'hosts: files dns\n',
    '/etc/resolv.conf': `nameserver ${THIS_MACHINE}\nsearch .\noptions timeout:1 attempts:1\n`,
  };
}

function doorsTo(list: readonly string[]): Door[] {
  const addresses = addressedHosts(list);
  const door = (place: HostPort) => {
    const address = addresses.get(place.host);
    return address === undefined ? [] : [{ address, port: place.port, to: hostPortText(place) }];
  };
  const doors = hostListOf(list).entries.flatMap(door);
  const isFirst = ({ address, port }: Door, at: number) =>
    doors.findIndex((one) => one.address === address && one.port === port) === at;
  return [PROXY, ...doors.filter(isFirst)];
}

const NO_USER = '65534';
const SETPRIV = '/usr/bin/setpriv';
const HEAP_MB = 64;

/**
 * The launch of a server beside its relay. `folder` has the socket. The rights of the relay are put away before the
 * server's own sandbox is made, which gets a user namespace below that of the network.
 */
export function relayLaunch(
  bubblewrap: string,
  inner: Launch,
  { list, folder }: { readonly list: readonly string[]; readonly folder: string },
): Launch {
  const withoutRights = [SETPRIV, '--ambient-caps', '-all', '--inh-caps', '-all', '--'];
  const order: RelayOrder = {
    socket: SOCKET_NAME,
    doors: doorsTo(list),
    command: [...withoutRights, inner.file, ...inner.args],
    env: { ...inner.env, ...PROXY_ENVIRONMENT },
  };
  const args = [
    ...['--unshare-user', '--unshare-net', '--die-with-parent'],
    ...['--uid', NO_USER, '--gid', NO_USER, '--cap-drop', 'ALL', '--cap-add', 'CAP_NET_BIND_SERVICE'],
    ...['--dev-bind', '/', '/', '--'],
    ...[process.execPath, `--max-old-space-size=${HEAP_MB}`, '-e', `(${relay})(require)`],
  ];
  // Its working folder is that of the socket, whose whole path may be too long for one.
  return { file: bubblewrap, args, cwd: folder, env: { QUIRE_RELAY: JSON.stringify(order) } };
}

/**
 * Runs in a process of its own, from its text: it uses nothing from outside itself. The pipes are the server's: neither
 * are they read here nor written, but for the reason why there is no server.
 */
function relay(load: NodeJS.Require): void {
  const net = load('node:net') as typeof import('node:net');
  const dgram = load('node:dgram') as typeof import('node:dgram');
  const { spawn } = load('node:child_process') as typeof import('node:child_process');
  const { writeSync } = load('node:fs') as typeof import('node:fs');
  const { socket, doors, command, env } = JSON.parse(process.env.QUIRE_RELAY ?? '') as RelayOrder;
  const maxConnections = 64;
  const maxHead = 16_384;
  const maxNames = 50;

  const fail = (what: string): never => {
    writeSync(2, `quire: the way out of the sandbox could not be made: ${what}\n`);
    process.exit(126);
  };
  const lead = (client: Socket, to: string | undefined): void => {
    const way = net.connect({ path: socket, allowHalfOpen: true });
    const end = () => {
      client.resetAndDestroy();
      way.destroy();
    };
    client.on('error', end).once('close', () => way.end());
    way.on('error', end).once('close', () => client.end());
    const open = () => {
      client.pipe(way);
      way.pipe(client);
    };
    if (to === undefined) {
      open();
      return;
    }
    way.write(`CONNECT ${to} HTTP/1.1\r\nHost: ${to}\r\n\r\n`);
    let head = Buffer.alloc(0);
    const read = (chunk: Buffer) => {
      head = Buffer.concat([head, chunk]);
      const at = head.indexOf('\r\n\r\n');
      if (at < 0 && head.length < maxHead) return;
      way.off('data', read).pause();
      if (at < 0 || !head.toString('latin1', 0, 13).startsWith('HTTP/1.1 200 ')) return end();
      if (head.length > at + 4) client.write(head.subarray(at + 4));
      open();
    };
    way.on('data', read);
  };
  const asked = new Set<string>();
  /** Name and end of the one question of a query; undefined for what is no query. */
  const questionIn = (query: Buffer): { readonly name: string; readonly end: number } | undefined => {
    const labels: string[] = [];
    for (let at = 12; at < query.length; ) {
      const length = query[at++] ?? 0;
      if (length === 0) return at + 4 <= query.length ? { name: labels.join('.'), end: at + 4 } : undefined;
      if (length > 63) return undefined;
      labels.push(query.toString('latin1', at, at + length));
      at += length;
    }
    return undefined;
  };
  const answerNames = (ready: () => void): void => {
    const names = dgram.createSocket('udp4');
    names.once('error', (error) => fail(error.message));
    names.on('message', (query, { port, address }) => {
      const question = questionIn(query);
      if (!question) return;
      // A response, recursion available, no such name; one question and nothing else.
      const head = Buffer.from([query[0] ?? 0, query[1] ?? 0, 0x81, 0x83, 0, 1, 0, 0, 0, 0, 0, 0]);
      names.send(Buffer.concat([head, query.subarray(12, question.end)]), port, address, () => undefined);
      const { name } = question;
      if (!/^[\w.-]{1,253}$/.test(name) || asked.has(name) || asked.size >= maxNames) return;
      asked.add(name);
      const way = net.connect(socket);
      way.on('error', () => way.destroy()).on('data', () => way.destroy());
      way.write(`CONNECT ${name}:0 HTTP/1.1\r\nHost: ${name}\r\n\r\n`);
    });
    names.bind(53, '127.0.0.1', ready);
  };
  const start = (): void => {
    const [file = '', ...args] = command;
    const child: ChildProcess = spawn(file, args, { stdio: 'inherit', env: { ...env } });
    child.once('error', (error) => fail(`${file}: ${error.message}`));
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const)
      process.on(signal, () => child.kill(signal));
    child.once('exit', (code, signal) => process.exit(signal === null ? (code ?? 1) : 137));
  };
  let closed = doors.length + 1;
  const opened = () => {
    if (--closed === 0) start();
  };
  answerNames(opened);
  for (const { address, port, to } of doors) {
    const server = net.createServer({ allowHalfOpen: true }, (client) => lead(client, to));
    server.maxConnections = maxConnections;
    server.once('error', (error) => fail(error.message));
    server.listen(port, address, opened);
  }
}
