/** The commands that serve notes, and `quire doctor`. */
import { brainCommand, brainEvalCommand, strictBrainCommand } from '../config/commands/brain.ts';
import { notebookCommand } from '../config/commands/notebook.ts';
import { serveCommand } from '../config/commands/serve.ts';
import { doctorCommand, silverbulletCommand, spaceFlags } from '../config/commands/silverbullet.ts';
import { triliumCommand } from '../config/commands/trilium.ts';
import { vaultCommand } from '../config/commands/vault.ts';
import type { CommandInput, FolderCommand, ProgramCommand } from './command.ts';
import { failingWith } from './exit-code.ts';
import { serveFolder, serveTrilium } from './serve-folder.ts';

export const FOLDER = ['[folder]', 'the folder that holds the notes'] as const;
const FOLDERS = ['[folders...]', 'the folders that hold the notes'] as const;

/** The command that runs when none is named. */
export const notebook: ProgramCommand = {
  name: 'notebook',
  description: 'serve folders of markdown notes over stdio: quire <folder>',
  usage: 'quire <folder>, for example: quire ~/notes',
  spec: notebookCommand,
  argument: FOLDERS,
  findsFile: true,
  // A folder alone is the notebook, whose tools have no name in front.
  run: ({ folders = [], ...command }) =>
    serveFolder(folders.length > 1 ? { ...command, folders } : { ...command, folder: folders[0] }),
};

const vault: ProgramCommand = {
  name: 'vault',
  description: 'serve a vault, files of every type, over HTTP with a login, or over stdio',
  usage:
    'quire vault --vault-path <folder> --server-url <url> --auth-users <user:hash>, or --transport stdio',
  spec: vaultCommand,
  transports: ['http', 'stdio'],
  run: serveFolderOver,
};

const silverbullet: ProgramCommand = {
  name: 'silverbullet',
  description: 'serve a SilverBullet space over HTTP with its owner as the login, or over stdio',
  usage: 'quire silverbullet, with SB_URL, SB_TOKEN and the rest of .env.example in the environment',
  spec: silverbulletCommand,
  stdioSpec: spaceFlags,
  transports: ['http', 'stdio'],
  run: serveFolderOver,
};

const trilium: ProgramCommand = {
  name: 'trilium',
  description: 'serve the notes of a Trilium over stdio, or over HTTP those of one or of many Triliums',
  usage: 'quire trilium --url <url> --token <token>, or TRILIUM_URL and TRILIUM_TOKEN in the environment',
  spec: triliumCommand,
  run: (command) => failingWith(1, () => serveTrilium(command)),
};

const serve: ProgramCommand = {
  name: 'serve',
  description: 'serve notebooks over HTTP: quire serve <folder>, or quire serve --config quire.yaml',
  usage: 'quire serve <folder>, for example: quire serve ~/notes',
  spec: serveCommand,
  argument: FOLDER,
  findsFile: true,
  run: (command) => serveFolderOver(command, { transport: 'http' }),
};

const brain: ProgramCommand = {
  name: 'brain',
  description:
    'all notes as one second brain, to ask, recall and extract from: quire brain <folder...>, or quire brain --config quire.yaml',
  usage: 'quire brain <folder...>, or quire brain --config quire.yaml',
  spec: brainCommand,
  argument: FOLDERS,
  transports: ['stdio', 'http'],
  findsFile: true,
  async run(command, { transport = 'stdio' }) {
    const { serveBrain } = await import('./serve-brain.ts');
    return serveBrain(command, transport);
  },
};

const brainEval: ProgramCommand = {
  name: 'eval',
  below: 'brain',
  description: 'measure how well your notes are found, by questions made from them: quire brain eval ~/notes',
  usage: 'quire brain eval <folder...>, or quire brain eval --config quire.yaml',
  spec: brainEvalCommand,
  argument: FOLDERS,
  hasJson: true,
  findsFile: true,
  async run(command, { asJson }) {
    const { evalBrain } = await import('./brain-eval.ts');
    return evalBrain(command, asJson);
  },
};

/** `sb serve` is older than Quire, and has always been the second brain alone. */
const serveOfSb: ProgramCommand = {
  ...serve,
  usage: 'quire serve <folder>, or quire serve --config quire.yaml',
  spec: strictBrainCommand,
  run: ({ folder, ...command }) =>
    brain.run(
      { ...command, folders: folder === undefined ? [] : [folder] },
      { transport: 'http', asJson: false, operands: [], extras: {} },
    ),
};

const doctor: ProgramCommand = {
  name: 'doctor',
  description:
    'look at what may go wrong: the notes in a folder, a SilverBullet space (SB_URL, SB_TOKEN), a Trilium (TRILIUM_URL, TRILIUM_TOKEN), or all of --config',
  usage:
    'quire doctor <folder>, or quire doctor --config quire.yaml, or quire doctor with SB_URL and SB_TOKEN, or with TRILIUM_URL and TRILIUM_TOKEN',
  spec: doctorCommand,
  argument: FOLDER,
  extras: [
    [
      '--as <command>',
      'examine the start of that command, with its variables: serve, vault, silverbullet, trilium or brain',
    ],
  ],
  hasJson: true,
  async run(command, { asJson, extras }) {
    const { examine } = await import('./serve-http.ts');
    const as = typeof extras.as === 'string' ? extras.as : undefined;
    return examine(command, { asJson, as, write: (text) => process.stdout.write(text) });
  },
};

async function serveFolderOver(
  command: FolderCommand,
  { transport }: Pick<CommandInput, 'transport'>,
): Promise<void> {
  if (transport === 'stdio') return serveFolder(command);
  const { serveHttp } = await import('./serve-http.ts');
  return serveHttp(command);
}

/** `called` is the name of the program. */
export function noteCommands(called: 'quire' | 'sb'): readonly ProgramCommand[] {
  return [
    notebook,
    vault,
    silverbullet,
    trilium,
    called === 'sb' ? serveOfSb : serve,
    brain,
    brainEval,
    doctor,
  ];
}
