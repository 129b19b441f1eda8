/** What `quire init` has to know, from flags or from a short dialogue. */
import { realpath } from 'node:fs/promises';
import { assertUserName } from '../../oauth/passwords.ts';
import { AppError, isAppError } from '../../shared/errors.ts';
import { ifPresent, isFolder } from '../../shared/fs/errno.ts';
import { httpAddress } from '../../shared/http-url.ts';
import type { Questions } from '../ask.ts';
import { askNewPassword, pipedPassword } from '../new-password.ts';
import {
  expanded,
  FIRST_FOLDER,
  type FolderPlaces,
  type NotesFolder,
  newFolder,
  notesFolder,
  usualFolder,
} from './folders.ts';

export const REVIEWS = ['off', 'destructive', 'all'] as const;
export type Review = (typeof REVIEWS)[number];

export interface Login {
  readonly publicUrl: string;
  readonly user: string;
  readonly hash: string;
}

export interface Answers {
  readonly folders: readonly NotesFolder[];
  readonly silverbullet?: string;
  readonly trilium?: string;
  readonly readOnly: boolean;
  readonly review: Review;
  readonly login?: Login;
}

/** As commander gives them. */
export interface AnswerFlags {
  readonly folders: readonly string[];
  readonly silverbullet?: string;
  readonly trilium?: string;
  readonly readOnly?: boolean;
  readonly review?: string;
  readonly publicUrl?: string;
  readonly user?: string;
  readonly passwordStdin?: boolean;
}

export function namesNotes({ folders, silverbullet, trilium }: AnswerFlags): boolean {
  return folders.length > 0 || silverbullet !== undefined || trilium !== undefined;
}

/** Without any notes named, those of the working folder, or a first note in a new folder. */
export async function answersOfFlags(
  flags: AnswerFlags,
  places: FolderPlaces,
  questions: Questions,
): Promise<Answers> {
  const { silverbullet, trilium, readOnly = false, review = 'off' } = flags;
  for (const [flag, url] of Object.entries({ silverbullet, trilium, 'public-url': flags.publicUrl }))
    if (url !== undefined) assertAddress(`--${flag}`, url);
  if (!isReview(review))
    throw new AppError('invalid_input', '--review must be off, destructive or all', { subject: review });
  const login = await loginOfFlags(flags, questions);
  const folders: NotesFolder[] = namesNotes(flags) ? [] : [await firstFolder(places)];
  for (const given of flags.folders) {
    const folder = await notesFolder(given, places);
    if (await isAmong(folder, folders))
      await questions.tell(`${given} is named twice; it becomes one notebook.`);
    else folders.push(folder);
  }
  return { folders, silverbullet, trilium, readOnly, review, login };
}

/** Also when a link leads to it. */
async function isAmong({ path }: NotesFolder, folders: readonly NotesFolder[]): Promise<boolean> {
  const real = async (folder: string) => (await ifPresent(realpath(folder))) ?? folder;
  const known = await Promise.all(folders.map((folder) => real(folder.path)));
  return known.includes(await real(path));
}

async function firstFolder(places: FolderPlaces): Promise<NotesFolder> {
  const folder = await usualFolder(places.workingFolder);
  const path = expanded(folder, places);
  return folder === FIRST_FOLDER && !(await isFolder(path)) ? newFolder(path) : notesFolder(folder, places);
}

async function loginOfFlags(
  { publicUrl, user, passwordStdin }: AnswerFlags,
  questions: Questions,
): Promise<Login | undefined> {
  if (publicUrl === undefined) {
    if (user === undefined && !passwordStdin) return undefined;
    throw new AppError('invalid_input', '--user and --password-stdin are for a public server', {
      hint: 'Add --public-url with the address it will have, or leave them out.',
    });
  }
  if (user === undefined)
    throw new AppError('invalid_input', 'A public server needs a login', {
      hint: 'Add --user with a user name; the password is asked for, or read from stdin with --password-stdin.',
    });
  assertUserName(user);
  if (!passwordStdin && !questions.canAsk)
    throw new AppError('invalid_input', 'There is no terminal to ask for the password', {
      hint: 'Pipe the password in and add --password-stdin.',
    });
  return { publicUrl, user, hash: await (passwordStdin ? pipedPassword() : askNewPassword(questions)) };
}

export async function askAnswers(questions: Questions, places: FolderPlaces): Promise<Answers> {
  await questions.tell('A few questions. The answer in brackets is taken if you press Enter.\n');
  const folders = await askFolders(questions, places);
  const servers =
    folders.length === 0 || (await questions.askYesNo('Do you also have notes in SilverBullet or Trilium?'))
      ? await askServers(questions, folders.length === 0)
      : {};
  const readOnly = !(await questions.askYesNo('May assistants change your notes?', true));
  const review = readOnly ? 'off' : await askReview(questions);
  const isPublic = await questions.askYesNo('Will it be reached from the internet, for example by a phone?');
  return { folders, ...servers, readOnly, review, login: isPublic ? await askLogin(questions) : undefined };
}

async function askFolders(questions: Questions, places: FolderPlaces): Promise<NotesFolder[]> {
  const usual = await usualFolder(places.workingFolder);
  const folders: NotesFolder[] = [];
  for (;;) {
    const answer =
      folders.length === 0
        ? await questions.ask('Which folder holds your notes? (- for none)', usual)
        : await questions.ask('Another folder? (empty for none)');
    if (answer === '' || answer === '-') return folders;
    const found = await askedFolder(answer, questions, places);
    if (!found) continue;
    if (await isAmong(found, folders)) {
      await questions.tell('  This folder is already chosen.');
      continue;
    }
    folders.push(found);
    await questions.tell(`  ${describe(found)}`);
  }
}

async function askedFolder(
  answer: string,
  questions: Questions,
  places: FolderPlaces,
): Promise<NotesFolder | undefined> {
  try {
    return await notesFolder(answer, places);
  } catch (error) {
    if (!isAppError(error)) throw error;
    if (error.code !== 'not_found') {
      await questions.tell(`  ${error.message}`);
      return undefined;
    }
    const isMade = await questions.askYesNo('  There is no such folder. Make it?', answer === FIRST_FOLDER);
    return isMade ? newFolder(expanded(answer, places)) : undefined;
  }
}

export function describe({ notes, isObsidian, isNew }: NotesFolder): string {
  if (isNew) return 'a new folder with a welcome note';
  const count = notes === 1 ? '1 note' : `${notes} notes`;
  return isObsidian ? `an Obsidian vault with ${count}` : count;
}

async function askServers(
  questions: Questions,
  isNeeded: boolean,
): Promise<Pick<Answers, 'silverbullet' | 'trilium'>> {
  for (;;) {
    const silverbullet = await askAddress(questions, 'Address of your SilverBullet space (empty for none)');
    const trilium = await askAddress(questions, 'Address of your Trilium (empty for none)');
    if (silverbullet !== undefined || trilium !== undefined || !isNeeded) return { silverbullet, trilium };
    await questions.tell('  Quire needs a folder, a SilverBullet space or a Trilium.');
  }
}

async function askAddress(questions: Questions, question: string): Promise<string | undefined> {
  for (;;) {
    const url = await questions.ask(question);
    if (url === '') return undefined;
    if (httpAddress.safeParse(url).success) return url;
    await questions.tell('  This must be an http or https address.');
  }
}

async function askReview(questions: Questions): Promise<Review> {
  const question =
    'Which changes shall wait until you accept them: off (none), destructive (deleted and replaced notes) or all';
  for (;;) {
    const answer = (await questions.ask(question, 'off')).toLowerCase();
    if (isReview(answer)) return answer;
    await questions.tell('  Please answer off, destructive or all.');
  }
}

async function askLogin(questions: Questions): Promise<Login> {
  let publicUrl: string | undefined;
  while (publicUrl === undefined)
    publicUrl = await askAddress(questions, 'Address it will have, for example https://notes.example.com');
  for (;;) {
    const user = await questions.ask('User name for the login', 'me');
    try {
      assertUserName(user);
      return { publicUrl, user, hash: await askNewPassword(questions) };
    } catch (error) {
      if (!isAppError(error) || error.reason === 'input_ended') throw error;
      await questions.tell(`  ${error.message}. ${error.hint ?? ''}`);
    }
  }
}

function isReview(text: string): text is Review {
  return REVIEWS.some((review) => review === text);
}

function assertAddress(flag: string, url: string): void {
  if (httpAddress.safeParse(url).success) return;
  throw new AppError('invalid_input', `${flag} must be an http or https address`, { subject: url });
}
