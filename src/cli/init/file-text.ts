/** The text of a new quire.yaml: the answers, and beside them what else can be set, as comments. */
import { byName } from '../../config/load.ts';
import type { Answers, Login } from './answers.ts';
import { pathIn } from './folders.ts';

/** `base`: the folder of the file. */
export function fileText(answers: Answers, base: string): string {
  const { review, login } = answers;
  return `# The configuration of Quire. Lines that begin with # are comments: remove the # to use a setting.
# Check the file with:  quire doctor --config quire.yaml

# The notes that assistants may use, each set under a name of its own.
notebooks:
${notebooksText(answers, base)}
# Changes that wait until you accept them, with quire review or in the console:
# off (none), destructive (deleted and replaced notes) or all.
review: ${review}

# Every change is recorded, so that it can be undone: quire history, quire undo --last.
# history:
#   days: 90        # how long changes can be undone
#   maxSize: 500MB  # the oldest changes go first

# Answers to questions over all notes, with their sources: quire brain.
# brain: true

${login ? publicText(login) : LOCAL}`;
}

function notebooksText(answers: Answers, base: string): string {
  const { folders, silverbullet, trilium, readOnly } = answers;
  const ofFolders = Object.keys(byName(folders.map(({ path }) => path))).map((name, at) => {
    const { path = '', isObsidian = false } = folders[at] ?? {};
    return {
      name,
      lines: [...(isObsidian ? ['# An Obsidian vault.'] : []), `folder: ${quoted(pathIn(base, path))}`],
    };
  });
  const taken = new Set(ofFolders.map(({ name }) => name));
  const ofServers = [
    { kind: 'silverbullet', url: silverbullet, variable: 'SB_TOKEN' },
    { kind: 'trilium', url: trilium, variable: 'TRILIUM_TOKEN' },
  ].flatMap(({ kind, url, variable }) =>
    url === undefined ? [] : [{ name: freeName(kind, taken), lines: serverLines(kind, url, variable) }],
  );
  return [...ofFolders, ...ofServers]
    .map(({ name, lines }) => textOf(name, [...lines, ...rightsLines(readOnly)]))
    .join('\n');
}

function serverLines(kind: string, url: string, variable: string): string[] {
  return [
    `${kind}:`,
    `  url: ${quoted(url)}`,
    `  # The token is read from the environment variable ${variable}, so that it is not in this file.`,
    `  token: "\${env:${variable}}"`,
  ];
}

function rightsLines(readOnly: boolean): string[] {
  return [
    '# With true, assistants can search and read these notes, and change nothing.',
    `readOnly: ${readOnly}`,
    '# noDelete: true             # no tool that deletes or replaces notes',
    '# ignore: ["private/**"]     # notes that assistants never see',
    '# extensions: [.md, .txt]    # the types of files that are notes',
  ];
}

function textOf(name: string, lines: readonly string[]): string {
  return `  ${name}:\n${lines.map((line) => `    ${line}\n`).join('')}`;
}

const LOCAL = `# The server over HTTP on this machine: quire serve. Assistants that start Quire themselves do not need it.
# serve:
#   host: 127.0.0.1
#   port: 8090
#   publicUrl: https://notes.example.com  # to reach it from elsewhere, with a login:

# Who may log in where the server is reached from elsewhere.
# auth:
#   mode: oauth
#   users:
#     me: "..."  # the output of: quire hash-password
`;

function publicText({ publicUrl, user, hash }: Login): string {
  return `# The server over HTTP: quire serve.
serve:
  # The address that assistants use. A reverse proxy or a tunnel there passes requests on to host and port.
  publicUrl: ${quoted(publicUrl)}
  host: 127.0.0.1
  port: 8090
  # The proxies whose X-Forwarded-For header is believed:
  # trustedProxies: [127.0.0.1]

# Who may log in. Add a user with the output of: quire hash-password
auth:
  mode: oauth
  users:
    ${quoted(user)}: "${hash}"
`;
}

/** JSON texts are YAML texts too. */
function quoted(text: string): string {
  return /^(?:\.{0,2}\/|https?:\/\/)[\w./:-]*$/.test(text) ? text : JSON.stringify(text);
}

function freeName(name: string, taken: Set<string>): string {
  let free = name;
  for (let count = 2; taken.has(free); count++) free = `${name}-${count}`;
  taken.add(free);
  return free;
}
