/** The programs of test/programs, which `npm run test:long` installs: third-party clients, and other versions of Node. */
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type Need, needOf } from './needs.ts';

const INSTALL = 'npm ci --prefix test/programs';
const fileOf = (path: string) => fileURLToPath(new URL(`../programs/node_modules/${path}`, import.meta.url));

/** The MCP Inspector's command line. */
export const INSPECTOR = fileOf('@modelcontextprotocol/inspector/clients/launcher/build/index.js');
export const inspector: Need = needOf('the MCP Inspector', INSTALL, existsSync(INSPECTOR));

export interface NodeVersion {
  readonly version: '20' | '22' | '24';
  readonly program: string;
  readonly need: Need;
}

/** The versions of Node that Quire promises to run on: the one that runs the tests, and others from packages. */
export const NODES: readonly NodeVersion[] = (['20', '22', '24'] as const).map((version) => {
  const isThis = process.versions.node.startsWith(`${version}.`);
  const program = isThis
    ? process.execPath
    : fileOf(`node${version}-${process.platform}-${process.arch}/bin/node`);
  return { version, program, need: needOf(`Node ${version}`, INSTALL, existsSync(program)) };
});
