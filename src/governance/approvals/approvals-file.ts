/**
 * The file of approvals: events appended under a lock, flushed before anybody is told. What cannot be read
 * denies everything, because nobody knows what was revoked.
 */
import { join } from 'node:path';
import { AppError } from '../../shared/errors.ts';
import { inTurn } from '../../state/in-turn.ts';
import { appendLines, cutTo, makePrivateFolder, readSmall } from '../../state/line-file.ts';
import { replaceFile } from '../../state/replace-file.ts';
import { sha256 } from '../digest.ts';
import { type ApprovalEvent, type Approvals, fold, readEvents } from './events.ts';

const FILE = 'approvals.jsonl';
const MAX_BYTES = 32 * 1024 * 1024;

export interface ApprovalsFile {
  read(): Promise<Approvals>;
  /** Reads, decides and writes as one step among all processes. */
  step<T>(work: (turn: FileTurn) => Promise<T>): Promise<T>;
}

export interface FileTurn {
  readonly approvals: Approvals;
  readonly events: readonly ApprovalEvent[];
  readonly bytes: number;
  append(...events: ApprovalEvent[]): Promise<void>;
  /** Puts these in the place of all events. */
  rewrite(events: readonly ApprovalEvent[]): Promise<void>;
}

export function openApprovalsFile(folder: string, now: () => number): ApprovalsFile {
  const file = join(folder, FILE);
  return {
    read: async () => (await load(file)).approvals,
    async step(work) {
      await makePrivateFolder(folder);
      return inTurn(`${file}.lock`, async ({ assertOurs }) => {
        const { torn, wholeBytes, ...loaded } = await load(file);
        if (torn.length > 0) {
          await cutTo(file, wholeBytes, assertOurs);
          await appendLines(file, linesOf([noteOf(torn, now())]), assertOurs);
        }
        return work({
          ...loaded,
          bytes: wholeBytes,
          append: (...events) => appendLines(file, linesOf(events), assertOurs),
          async rewrite(events) {
            await (await replaceFile(file, linesOf(events), assertOurs)).close();
          },
        });
      });
    },
  };
}

async function load(file: string) {
  try {
    const bytes = await readSmall(file, MAX_BYTES);
    const wholeBytes = bytes.lastIndexOf(10) + 1;
    const events = readEvents(bytes.toString('utf8', 0, wholeBytes));
    return { events, approvals: fold(events), wholeBytes, torn: bytes.subarray(wholeBytes) };
  } catch (cause) {
    throw unreadable(cause);
  }
}

function linesOf(events: readonly ApprovalEvent[]): string {
  return events.map((event) => `${JSON.stringify(event)}\n`).join('');
}

function noteOf(torn: Buffer, at: number): ApprovalEvent {
  return { event: 'repaired', at, bytes: torn.length, sha256: sha256(torn.toString('base64')) };
}

function unreadable(cause: unknown): AppError {
  const why = cause instanceof AppError ? cause.message : String((cause as NodeJS.ErrnoException)?.code);
  return new AppError('forbidden', 'The approvals cannot be read, so nothing is approved', {
    subject: why,
    hint: `Repair ${FILE} in the state folder, or move it away: then everything is asked for anew.`,
    cause,
  });
}
