import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { createQuestions, written } from './ask.ts';

/** Answers each question, in order, as soon as it is asked. */
function dialogue(answers: readonly string[]) {
  const input = new PassThrough();
  const output = new PassThrough();
  const left = [...answers];
  let shown = '';
  output.on('data', (chunk) => {
    const text = String(chunk);
    shown += text;
    if (text.endsWith('\n')) return;
    const answer = left.shift();
    setImmediate(() => (answer === undefined ? input.end() : input.write(`${answer}\n`)));
  });
  return { questions: createQuestions({ input, output }), shown: () => shown };
}

test('a question shows its default, and an empty answer is the default', async () => {
  const { questions, shown } = dialogue(['', '  mine ', '']);
  expect(await questions.ask('Folder', '/notes')).toBe('/notes');
  expect(await questions.ask('Folder', '/notes')).toBe('mine');
  expect(await questions.ask('Server')).toBe('');
  expect(shown()).toBe('Folder [/notes]: Folder [/notes]: Server: ');
});

test('yes or no is asked again until it is one of them', async () => {
  const { questions, shown } = dialogue(['maybe', 'Y', '', '']);
  expect(await questions.askYesNo('Write it?')).toBe(true);
  expect(await questions.askYesNo('Write it?')).toBe(false);
  expect(await questions.askYesNo('Go on?', true)).toBe(true);
  expect(shown()).toBe(
    'Write it? [y/N] Please answer y or n.\nWrite it? [y/N] Write it? [y/N] Go on? [Y/n] ',
  );
});

test('one of several questions can be answered for all', async () => {
  const { questions, shown } = dialogue(['constructor', 'a', '', 'N']);
  expect(await questions.askYesNoAll('Write it?')).toBe('all');
  expect(await questions.askYesNoAll('Write it?')).toBe(true);
  expect(await questions.askYesNoAll('Write it?')).toBe(false);
  expect(shown()).toContain(
    'Write it? [Y/n/a] Please answer y, n, or a for this one and all that follow.\nWrite it? [Y/n/a] ',
  );
});

test('a secret is not shown, and the end of the input is an error', async () => {
  const { questions, shown } = dialogue(['hush']);
  expect(await questions.askSecret('Password')).toBe('hush');
  expect(shown()).toBe('Password: \n');
  await expect(questions.ask('More')).rejects.toThrow('The input ended before all questions were answered');
});

test('a pipe is nobody to ask', () => {
  expect(dialogue([]).questions.canAsk).toBe(false);
});

test('many lines at once leave one listener on the stream, and a closed one is no failure', async () => {
  const output = new PassThrough();
  await Promise.all(Array.from({ length: 20 }, () => written(output, 'a line\n')));
  expect(output.listenerCount('error')).toBe(1);
  output.destroy(new Error('closed'));
  await written(output, 'late\n');
});
