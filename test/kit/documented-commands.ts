/** How a command of the documentation is run in a test, or why it is not. */

/** Commands that need what a test cannot have, by what they begin with. */
export const NOT_RUN: readonly (readonly [RegExp, string])[] = [
  [
    /^quire (?:import|export) /,
    'needs a notebook in PostgreSQL; test/long/replicas-transfer.test.ts runs it',
  ],
  [/^quire users /, 'needs a login and a password; test/long/users-command.test.ts runs it'],
  [/^pg_(?:dump|restore) /, 'programs of PostgreSQL, for a database of its operator'],
  [/^npm ci\b/, 'is what runs the tests'],
  [/^(?:mkdir peers|npm i )/, 'installs other servers from the internet'],
  [/^npm run bench/, 'measures for minutes'],
  [/^claude /, 'needs Claude Code'],
  [/^quire mcp (?:add|call) /, 'asks a person at a terminal; test/long/plane-guide.test.ts runs it'],
  [/^npx -y mcp-remote /, 'downloads a program'],
  [/^(?:docker|fly) /, 'needs Docker or an account; test/deploy.test.ts checks the files'],
  [/^sudo /, 'changes the machine; test/deploy.test.ts checks the files'],
  [/^(?:cloudflared|tailscale) /, 'needs an account and the internet'],
  [/registry\.modelcontextprotocol\.io/, 'needs the internet'],
  [/\| ?jq|>\(jq/, 'needs jq'],
];

/** The command with the answers that a person would give at the terminal. */
export function answered(command: string): string {
  if (/^(?:quire|npx quire-mcp) init\b/.test(command)) return `${command} --yes --force`;
  return /^(?:quire|npx quire-mcp) connect\b/.test(command) ? `${command} --yes` : command;
}

export type CommandKind = 'stdio' | 'http' | 'once' | 'request' | 'prelude';

const PROGRAM = /^(?:\w+=\S+ )*(?:quire|sb|npx (?:-y )?quire-mcp) ?/;
const OVER_HTTP = new Set(['serve', 'vault', 'silverbullet']);
const OVER_STDIO = new Set(['trilium', 'brain']);

/** `undefined` for a command that no test knows how to run. */
export function kindOf(command: string): CommandKind | undefined {
  if (/^(?:cp|export|set -a)\b/.test(command)) return 'prelude';
  if (/^curl /.test(command)) return 'request';
  if (!PROGRAM.test(command)) return undefined;
  const [name = '', ...rest] = command.replace(PROGRAM, '').split(' ');
  const transport = /--transport (\w+)/.exec(rest.join(' '))?.[1];
  if (name === 'brain' && rest[0] === 'eval') return 'once';
  if (OVER_HTTP.has(name)) return transport === 'stdio' ? 'stdio' : 'http';
  if (OVER_STDIO.has(name)) return transport === 'http' ? 'http' : 'stdio';
  return /^[~./]/.test(name) ? 'stdio' : 'once';
}

export function reasonNotToRun(command: string): string | undefined {
  return NOT_RUN.find(([pattern]) => pattern.test(command))?.[1];
}
