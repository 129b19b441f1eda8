/** A DNS server on loopback that knows one name, whatever it is asked for, as that of a container platform does. */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { onTestFinished } from 'vitest';

const HEADER_BYTES = 12;
/** A response, authoritative, recursion available (RFC 1035, section 4.1.1). */
const FLAGS = 0x8580;
const TYPE_A = 1;

/** Resolves to its port. The addresses come in another order each time. */
export async function startNameServer(addresses: readonly string[]): Promise<number> {
  const socket = createSocket('udp4');
  let turn = 0;
  socket.on('message', (query, { port, address }) => {
    const end = query.indexOf(0, HEADER_BYTES) + 5;
    const asked = query.readUInt16BE(end - 4) === TYPE_A ? addresses : [];
    if (asked.length > 0) turn++;
    const answers = asked.map((_, at) => recordOf(asked[(at + turn) % asked.length] ?? ''));
    const header = Buffer.from(query.subarray(0, HEADER_BYTES));
    header.writeUInt16BE(FLAGS, 2);
    header.writeUInt16BE(answers.length, 6);
    header.writeUInt32BE(0, 8);
    socket.send(Buffer.concat([header, query.subarray(HEADER_BYTES, end), ...answers]), port, address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  onTestFinished(() => void socket.close());
  return socket.address().port;
}

/** An address record of the name in the question, for one second. */
function recordOf(address: string): Buffer {
  const head = [0xc0, HEADER_BYTES, 0, TYPE_A, 0, 1, 0, 0, 0, 1, 0, 4];
  return Buffer.from([...head, ...address.split('.').map(Number)]);
}
