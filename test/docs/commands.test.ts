/** Every command of the documentation is run by `test/long/docs-commands.test.ts`, or has a reason why not. */
import { expect, test } from 'vitest';
import { blocksIn, blocksOf, commandsOf, PAGES, textOf } from '../kit/code-blocks.ts';
import { kindOf, NOT_RUN, reasonNotToRun } from '../kit/documented-commands.ts';

const commands = blocksIn('sh', 'bash').flatMap((block) =>
  commandsOf(block).map((command) => ({ place: block.place, command })),
);

test('every command can be run, or says why not', () => {
  const unknown = commands.filter(({ command }) => !reasonNotToRun(command) && !kindOf(command));
  expect(unknown).toEqual([]);
});

test('every reason not to run a command is used', () => {
  const unused = NOT_RUN.filter(([pattern]) => !commands.some(({ command }) => pattern.test(command)));
  expect(unused).toEqual([]);
});

test('no block of commands hides behind another language', () => {
  const others = PAGES.flatMap(blocksOf).filter(({ language }) => !['sh', 'bash'].includes(language));
  expect(
    others.filter(({ text }) => /^(?:\$ )?(?:quire|npx) /m.test(text)).map(({ place }) => place),
  ).toEqual([]);
});

test('the README is short enough to be read', () => {
  expect(textOf('README.md').split('\n').length).toBeLessThanOrEqual(150);
});
