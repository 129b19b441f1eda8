// A server that fails at its start, as its first argument says.
import { lookup } from 'node:dns/promises';
import { readFileSync, writeFileSync } from 'node:fs';

const [how, path] = process.argv.slice(2);
process.stderr.write(`key ${process.env.API_KEY}\n\u001b[31mred\u001b[0m words\n`);
try {
  if (how === 'write') writeFileSync('/usr/here', '');
  if (how === 'read') readFileSync(path);
  if (how === 'network') await lookup('example.com');
} catch (error) {
  process.stderr.write(`${error.message}\n`);
}
if (how === 'hang') setInterval(() => {}, 1_000);
else process.exit(2);
