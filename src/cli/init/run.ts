/** `quire init`: writes a commented quire.yaml from flags or a short dialogue, and checks it before it says so. */
import { constants, existsSync } from 'node:fs';
import { copyFile, rename, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { serveCommand } from '../../config/commands/serve.ts';
import { loadConfig } from '../../config/load.ts';
import { AppError } from '../../shared/errors.ts';
import { isErrno, isFolder } from '../../shared/fs/errno.ts';
import { fromHome } from '../../shared/fs/folder.ts';
import { createQuestions } from '../ask.ts';
import { connect } from '../connect/run.ts';
import { commandOf } from '../exit-code.ts';
import { systemTerminal } from '../mcp/terminal.ts';
import {
  type AnswerFlags,
  type Answers,
  answersOfFlags,
  askAnswers,
  describe,
  namesNotes,
} from './answers.ts';
import { fileText } from './file-text.ts';
import { makeFolder } from './folders.ts';

export interface InitOptions extends AnswerFlags {
  /** Folders of notes: operands. */
  readonly folders: readonly string[];
  /** The same as flags. */
  readonly folder?: readonly string[];
  readonly output?: string;
  /** Asks nothing. */
  readonly yes?: boolean;
  /** Replaces an existing file. */
  readonly force?: boolean;
}

const USUAL_FILE = 'quire.yaml';

export async function init(options: InitOptions): Promise<void> {
  const { workingFolder, environment, out } = systemTerminal();
  const questions = createQuestions();
  const flags = { ...options, folders: [...options.folders, ...(options.folder ?? [])] };
  const shown = options.output ?? USUAL_FILE;
  const file = resolve(workingFolder, fromHome(shown));
  if (await isFolder(file)) throw isNoFile(shown);
  const asks = questions.canAsk && !options.yes;
  if (!asks && !options.yes && !namesNotes(flags)) throw noTerminal();
  if (
    existsSync(file) &&
    !options.force &&
    !(asks && (await questions.askYesNo(`${shown} exists. Replace it?`)))
  )
    throw exists(shown);

  const places = { workingFolder, home: environment.HOME || homedir() };
  const isDialogue = asks && !namesNotes(flags);
  const answers = isDialogue
    ? await askAnswers(questions, places)
    : await answersOfFlags(flags, places, questions);
  for (const { path, isNew } of answers.folders) if (isNew) await makeFolder(path);
  const backup = await writeChecked(file, fileText(answers, dirname(file)), shown);
  const program = commandOf(process.argv, environment);
  const config = shown === USUAL_FILE ? '' : ` --config ${shown}`;
  await out(`${[...summaryLines(answers, shown, backup), ''].join('\n')}`);
  if (
    isDialogue &&
    !answers.login &&
    (await questions.askYesNo('Connect the AI clients on this machine now?', true))
  )
    return connect({ clients: [], config: file });
  await out(`${nextLines(answers, program, config).join('\n')}\n`);
}

function noTerminal(): AppError {
  return new AppError('invalid_input', 'There is no terminal to ask at, and no notes are named', {
    hint: 'Name them: quire init <folder>, --silverbullet <url> or --trilium <url>. Also --read-only, --review, --public-url.\nOr take the defaults with: quire init --yes',
  });
}

function isNoFile(shown: string): AppError {
  return new AppError('invalid_input', `${shown} is a folder, not a file`, {
    hint: `Nothing was written. Name the file in it: --output ${join(shown, USUAL_FILE)}`,
  });
}

function exists(shown: string): AppError {
  return new AppError('already_exists', `${shown} exists already`, {
    hint: 'Nothing was written. Replace it with --force, which keeps a copy, or write another file with --output.',
  });
}

/** Writes the file when the loader accepts it. Resolves to the name of the copy of the file that was there. */
async function writeChecked(file: string, text: string, shown: string): Promise<string | undefined> {
  const draft = `${file}.${process.pid}.new`;
  // A login is in it.
  const mode = text.includes('$2') ? 0o600 : 0o666;
  try {
    await writeFile(draft, text, { flag: 'wx', mode });
    await loadConfig({ spec: CHECK, flags: {}, env: {}, file: draft });
    const backup = existsSync(file) ? await copyAside(file) : undefined;
    await rename(draft, file);
    return backup;
  } catch (cause) {
    await rm(draft, { force: true });
    if (!isErrno(cause, 'ENOENT', 'ENOTDIR', 'EACCES', 'EPERM', 'EROFS', 'EISDIR', 'ENOSPC')) throw cause;
    throw new AppError('invalid_input', 'Cannot write the configuration file', {
      subject: shown,
      hint: `Nothing was written. Check that the folder ${dirname(file)} exists and that you may write there.`,
      cause,
    });
  }
}

/** All settings count as in the file, and references to variables that are not set are kept. */
const CHECK = { ...serveCommand, options: [], keepsVariables: true } as const;

async function copyAside(file: string): Promise<string> {
  for (let count = 1; ; count++) {
    const copy = `${file}.bak${count === 1 ? '' : `-${count}`}`;
    try {
      await copyFile(file, copy, constants.COPYFILE_EXCL);
      return copy;
    } catch (error) {
      if (!isErrno(error, 'EEXIST')) throw error;
    }
  }
}

function summaryLines(answers: Answers, shown: string, backup: string | undefined): string[] {
  const { folders, silverbullet, trilium, readOnly, review, login } = answers;
  return [
    `Wrote ${shown}.${backup === undefined ? '' : ` The file that was there is kept as ${backup}.`}`,
    ...folders.map((folder) => `  notes     ${folder.path} (${describe(folder)})`),
    ...(silverbullet === undefined
      ? []
      : [`  notes     SilverBullet at ${silverbullet}; set SB_TOKEN to its token`]),
    ...(trilium === undefined
      ? []
      : [`  notes     Trilium at ${trilium}; set TRILIUM_TOKEN to an ETAPI token`]),
    `  changes   ${readOnly ? 'assistants can only read' : CHANGES[review]}`,
    `  reached   ${login ? `at ${login.publicUrl}, with a login as ${login.user}` : 'on this machine only'}`,
  ];
}

const CHANGES: Readonly<Record<Answers['review'], string>> = {
  off: 'assistants can read and change notes; every change can be undone',
  destructive: 'deleted and replaced notes wait until you accept them',
  all: 'every change waits until you accept it',
};

function nextLines({ login }: Answers, program: string, config: string): string[] {
  const serve = [`${program} serve${config}`, 'start the server'] as const;
  const connects = login
    ? ([
        `${program} connect --http ${login.publicUrl.replace(/\/+$/, '')}/mcp`,
        'add it to your AI clients',
      ] as const)
    : ([`${program} connect${config}`, 'add Quire to the AI clients on this machine'] as const);
  const check = [`${program} doctor --config ${config.slice(10) || USUAL_FILE}`, 'check everything'] as const;
  const lines = login ? [serve, connects] : [connects, check];
  const width = Math.max(...lines.map(([line]) => line.length));
  return ['', 'Next:', ...lines.map(([line, does]) => `  ${line.padEnd(width)}  ${does}`)];
}
