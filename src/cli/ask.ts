/** Questions at the terminal: asked on stderr, answered on stdin, so that stdout stays free for results. */
import { createInterface } from 'node:readline';
import { type Readable, Writable } from 'node:stream';
import { AppError } from '../shared/errors.ts';

export interface AskOptions {
  /** Without echo, for secrets. */
  readonly hidden?: boolean;
  readonly signal?: AbortSignal;
}

/** Undefined when the input has ended or the question was aborted. */
export type Ask = (text: string, options?: AskOptions) => Promise<string | undefined>;

export interface AskStreams {
  readonly input: Readable & { readonly isTTY?: boolean };
  readonly output: Writable & { readonly isTTY?: boolean };
}

const systemStreams = (): AskStreams => ({ input: process.stdin, output: process.stderr });

const MAX_ANSWER = 10_000;

/** Each question has a reader of its own, so that the input is not read between questions. */
export async function askLine(
  text: string,
  { hidden = false, signal }: AskOptions = {},
  { input, output } = systemStreams(),
): Promise<string | undefined> {
  if (signal?.aborted) return undefined;
  await written(output, text);
  const nowhere = new Writable({ write: (_, __, done) => done() });
  const lines = createInterface({
    input,
    output: hidden ? nowhere : undefined,
    terminal: hidden ? true : undefined,
  });
  // Without echo the terminal is in raw mode, where Ctrl-C is no signal.
  lines.on('SIGINT', () => process.kill(process.pid, 'SIGINT'));
  const answer = await new Promise<string | undefined>((resolve) => {
    lines.once('line', (line) => resolve(line.slice(0, MAX_ANSWER)));
    lines.once('close', () => resolve(undefined));
    signal?.addEventListener('abort', () => resolve(undefined), { once: true });
  });
  lines.close();
  if (text !== '' && (hidden || answer === undefined)) await written(output, '\n');
  return answer;
}

/** A dialogue. Each question fails with `invalid_input` when the input ends before its answer. */
export interface Questions {
  /** Whether there is a person to ask: input and output are a terminal. */
  readonly canAsk: boolean;
  /** An empty answer is the default, which is shown in brackets; without a default it is an empty text. */
  ask(question: string, usual?: string): Promise<string>;
  /** Asks again until the answer is yes or no; an empty answer is the default. */
  askYesNo(question: string, usual?: boolean): Promise<boolean>;
  /** One of several alike questions: yes, which is the default, no, or yes to all that follow. */
  askYesNoAll(question: string): Promise<boolean | 'all'>;
  /** Without echo. */
  askSecret(question: string): Promise<string>;
  /** Shows a line beside the questions. */
  tell(line: string): Promise<void>;
}

const YES_OR_NO: Readonly<Record<string, boolean>> = { y: true, yes: true, n: false, no: false };

export function createQuestions(streams: AskStreams = systemStreams()): Questions {
  const answerTo = async (text: string, options?: AskOptions): Promise<string> => {
    const line = await askLine(text, options, streams);
    if (line !== undefined) return line;
    throw new AppError('invalid_input', 'The input ended before all questions were answered', {
      reason: 'input_ended',
      hint: 'Nothing was changed. Run the command again, or give the answers as flags (see --help).',
    });
  };
  const tell = (line: string) => written(streams.output, `${line}\n`);
  const choose = async <T>(question: string, answers: Readonly<Record<string, T>>, help: string) => {
    const known = new Map(Object.entries(answers));
    for (;;) {
      const answer = known.get((await answerTo(`${question} `)).trim().toLowerCase());
      if (answer !== undefined) return answer;
      await tell(help);
    }
  };
  return {
    canAsk: streams.input.isTTY === true && streams.output.isTTY === true,
    async ask(question, usual = '') {
      const shown = usual === '' ? '' : ` [${usual}]`;
      return (await answerTo(`${question}${shown}: `)).trim() || usual;
    },
    askYesNo: (question, usual = false) =>
      choose(
        `${question} ${usual ? '[Y/n]' : '[y/N]'}`,
        { ...YES_OR_NO, '': usual },
        'Please answer y or n.',
      ),
    askYesNoAll: (question) =>
      choose<boolean | 'all'>(
        `${question} [Y/n/a]`,
        { ...YES_OR_NO, '': true, a: 'all', all: 'all' },
        'Please answer y, n, or a for this one and all that follow.',
      ),
    askSecret: (question) => answerTo(`${question}: `, { hidden: true }),
    tell,
  };
}

const heard = new WeakSet<Writable>();

/** A reader that closes the pipe early (`| head`) is no failure, and may be noticed only after the text was written. */
export function written(stream: Writable, text: string): Promise<void> {
  if (!heard.has(stream)) stream.on('error', () => {});
  heard.add(stream);
  return new Promise((resolve) => stream.write(text, () => resolve()));
}
