// The way from one replica to the database, which can be slow, silent or cut. Sockets only.
import { mkdirSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';

const SOCKET = '.s.PGSQL.5432';

/** A folder to give as the host of the database; everything goes on to the one in `target`. */
export async function openRelay(folder, target) {
  mkdirSync(folder, { recursive: true });
  const open = new Set();
  const relay = { delayMs: 0, isSilent: false, target, folder };
  const server = createServer((near) => {
    const far = connect(join(relay.target, SOCKET));
    const pair = [near, far];
    open.add(pair);
    const end = () => {
      open.delete(pair);
      near.destroy();
      far.destroy();
    };
    for (const [from, to] of [
      [near, far],
      [far, near],
    ]) {
      const pass = passer(relay, to);
      from.on('data', pass);
      from.on('error', end).on('close', end);
    }
  });
  await new Promise((resolve) => server.listen(join(folder, SOCKET), resolve));
  return Object.assign(relay, {
    cut() {
      for (const [near, far] of open) {
        near.destroy();
        far.destroy();
      }
    },
    close() {
      relay.cut();
      server.close();
    },
  });
}

/**
 * Hands on one way of a connection, in order also when the delay changes. What is sent through a silent relay is lost with
 * its connection, as behind a firewall that drops packets.
 */
function passer(relay, to) {
  const waiting = [];
  const next = () => {
    const { chunk } = waiting[0];
    if (!to.destroyed) to.write(chunk);
    waiting.shift();
    if (waiting.length > 0) setTimeout(next, waiting[0].due - performance.now());
  };
  return (chunk) => {
    if (relay.isSilent) return;
    if (relay.delayMs === 0 && waiting.length === 0) {
      to.write(chunk);
      return;
    }
    waiting.push({ chunk, due: performance.now() + relay.delayMs });
    if (waiting.length === 1) setTimeout(next, relay.delayMs);
  };
}
