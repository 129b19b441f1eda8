/** docs/use/connect.md, from the table of clients. */
import { type Client, type Entry, entryFor, npxLaunch, type Target } from '../src/clients/client.ts';
import { snippet } from '../src/clients/formats/render.ts';
import { PACKAGE, servingFolder } from '../src/clients/launch.ts';
import { shownSystem } from '../src/clients/places.ts';
import { ENTRY_NAME } from '../src/clients/recognize.ts';
import { CLIENTS } from '../src/clients/table.ts';

const SYSTEMS = [
  ['macOS', 'darwin'],
  ['Windows', 'win32'],
  ['Linux', 'linux'],
] as const;

const PROGRAM: Target = { launch: servingFolder(npxLaunch('linux', [PACKAGE]), '/path/to/notes') };
const ADDRESS: Target = { url: 'https://notes.example.com/mcp' };

export function connectPage(generated: string): string {
  const names = CLIENTS.map(({ name, title }) => `| ${title} | \`${name}\` |`);
  return `# Connect an AI client

${generated}

\`\`\`sh
quire connect --folder ~/notes          # every client found on this machine
quire connect cursor --folder ~/notes   # one of them
quire connect                           # the notebooks of ./quire.yaml
quire connect --http https://notes.example.com/mcp
quire connect --remove
\`\`\`

\`quire connect\` finds the clients on this machine, shows what would change in each configuration file as a diff, and writes a file after you said yes (Enter is yes; \`a\` is yes to this file and all that follow).

- **What is written.** One entry named \`quire\`. A configuration with several notebooks gives one entry for each, \`quire-<notebook>\`, because a client starts one program for each. The entry has the full paths of Node and of Quire, since clients with a window do not know the \`PATH\` of your shell; started by \`npx\`, it is \`npx -y ${PACKAGE}\`. From an installation of your own, local or global, the entry names the file of that installation, so leave it where it is, or run \`quire connect\` again after moving it. An entry for a folder has \`--tools notebook,history\`, which adds the [history tools](history.md#undo-by-an-assistant): with them an assistant can say what it changed, and undo it. Notebooks of a configuration have them already.
- **What stays.** Comments, the order of keys, line endings, indentation and all other bytes. Settings that you added to Quire's own entry stay too. The result is parsed again before it is written: if anything but the entry would differ, nothing is written, and you are shown what to add by hand.
- **Backup.** The file as it was is beside it, as \`<file>.quire-backup-<time>\`. A second run changes nothing and makes no backup.
- **A broken file** is refused with its line; the other clients are still done.
- **An entry of the same name that is not Quire's** is shown as replaced in the diff, and you are asked. With \`--yes\` it is refused: choose a \`--name\`.

| Flag | Meaning |
| --- | --- |
| \`--folder <folder>\` | the notes to serve |
| \`--config <file>\` | the configuration to serve; without it \`QUIRE_CONFIG\`, then \`./quire.yaml\` |
| \`--http <url>\` | connect to a running server: \`https\`, or \`http\` on this machine |
| \`--name <name>\` | name of the entry |
| \`--print\` | only show the changes; for a client that is not here, what to add by hand |
| \`--yes\` | write without asking |
| \`--remove\` | remove Quire's entries; with \`--name\`, the entry of that name even if it is not Quire's |

Without a terminal, \`quire connect\` writes only with \`--yes\`; otherwise it prints the changes and ends with exit code 2. It also ends with 2 when a file could not be changed.

| Client | Name on the command line |
| --- | --- |
${names.join('\n')}

${CLIENTS.map(guide).join('\n\n')}
`;
}

function guide(client: Client): string {
  const opens = client.opens === undefined ? [] : [`To open it in ${client.title}: ${client.opens}.`];
  const moved = client.movedBy?.map((variable) => `\`${variable}\``).join(', ');
  const bridge = client.http
    ? ''
    : ` ${client.title} starts programs only, so \`mcp-remote\` connects it to the address.`;
  return [
    `## ${client.title}`,
    [
      '| System | File |',
      '| --- | --- |',
      ...SYSTEMS.map(([title, platform]) => `| ${title} | ${placesOn(client, platform)} |`),
    ].join('\n'),
    ...(moved ? [`Environment variables that change the place: ${moved}.`] : []),
    ...opens,
    'As a program that the client starts:',
    fenced(client, PROGRAM),
    `As a server at an address:${bridge}`,
    fenced(client, ADDRESS),
    ...(client.command ? [`Or by its own command: \`${client.command(ADDRESS, ENTRY_NAME)}\``] : []),
    client.next,
  ].join('\n\n');
}

function placesOn(client: Client, platform: NodeJS.Platform): string {
  const places = client
    .places(shownSystem(platform))
    .map(({ file, edition }) => `\`${file}\`${edition === undefined ? '' : ` (${edition})`}`);
  return [...new Set(places)].join('<br>');
}

function fenced(client: Client, target: Target): string {
  const entries = new Map<string, Entry>([
    [ENTRY_NAME, entryFor(client, target, ENTRY_NAME, { platform: 'linux' })],
  ]);
  return `\`\`\`${client.format}\n${snippet(client, entries)}\n\`\`\``;
}
