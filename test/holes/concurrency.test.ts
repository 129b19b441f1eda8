/** Many hands on one note: what was acknowledged is in the file, and what was refused says so. */
import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { type Answer, startBinary } from '../kit/server.ts';
import { temporaryFolder } from '../kit/temp.ts';
import { bytesOf, served } from './served.ts';

const refusedClearly = ({ isError, text }: Answer) => isError && /^Error: \S/.test(text);

test('two servers patch different words of one note for 40 rounds and lose nothing in silence', async () => {
  const folder = await temporaryFolder({ 'a.md': 'left: 0\n\nbetween\n\nright: 0\n' });
  const clients = [await startBinary(folder), await startBinary(folder)] as const;
  const now = { left: 0, right: 0 };
  for (let round = 1; round <= 40; round++) {
    await Promise.all(
      (['left', 'right'] as const).map(async (word, at) => {
        const answer = await clients[at]!.call('patch_note', {
          path: 'a.md',
          oldString: `${word}: ${now[word]}`,
          newString: `${word}: ${now[word] + 1}`,
        });
        if (!answer.isError) now[word]++;
        else expect(refusedClearly(answer)).toBe(true);
      }),
    );
    expect(bytesOf(folder, 'a.md').toString()).toBe(`left: ${now.left}\n\nbetween\n\nright: ${now.right}\n`);
  }
  expect(now.left + now.right).toBeGreaterThan(40);
  expect(readdirSync(folder)).toEqual(['a.md']);
});

test('twenty patches at once from one client are all in the note', async () => {
  const words = Array.from({ length: 20 }, (_, at) => `word-${String(at).padStart(2, '0')}`);
  const { folder, call } = await served({ 'a.md': `${words.join('\n')}\n` });
  const answers = await Promise.all(
    words.map((word) => call('patch_note', { path: 'a.md', oldString: word, newString: `new ${word}` })),
  );
  expect(answers.filter((answer) => answer.isError)).toEqual([]);
  expect(bytesOf(folder, 'a.md').toString()).toBe(`${words.map((word) => `new ${word}`).join('\n')}\n`);
});

test('two servers append 30 lines each and every accepted line is there once', async () => {
  const folder = await temporaryFolder({ 'log.md': '# Log\n' });
  const clients = [await startBinary(folder), await startBinary(folder)];
  const accepted: string[] = [];
  await Promise.all(
    clients.flatMap(({ call }, who) =>
      Array.from({ length: 30 }, async (_, at) => {
        const line = `line ${who}-${String(at).padStart(2, '0')}`;
        const answer = await call('write_note', { path: 'log.md', content: line, mode: 'append' });
        if (!answer.isError) accepted.push(line);
        else expect(refusedClearly(answer)).toBe(true);
      }),
    ),
  );
  const kept = bytesOf(folder, 'log.md')
    .toString()
    .split('\n')
    .filter((line) => line.startsWith('line '));
  expect(kept).toHaveLength(new Set(kept).size);
  expect(accepted.filter((line) => !kept.includes(line))).toEqual([]);
  expect(kept.length).toBeGreaterThanOrEqual(accepted.length);
  expect(accepted.length).toBeGreaterThanOrEqual(30);
  expect(readdirSync(folder)).toEqual(['log.md']);
});

test('different kinds of edit at once from two servers are all in the note', async () => {
  const folder = await temporaryFolder({ 'a.md': '---\ntags: [a]\ncount: 0\n---\nword\n' });
  const [one, two] = [await startBinary(folder), await startBinary(folder)];
  const path = 'a.md';
  const answers = await Promise.all([
    one.call('update_frontmatter', { path, frontmatter: { count: 1 } }),
    two.call('manage_tags', { path, operation: 'add', tags: ['b'] }),
    one.call('patch_note', { path, oldString: 'word', newString: 'term' }),
    two.call('write_note', { path, content: 'end', mode: 'append' }),
  ]);
  const text = bytesOf(folder, path).toString();
  for (const [at, sign] of [/^count: 1$/m, /^tags: \[a, b\]$/m, /^term$/m, /^end$/m].entries())
    expect([at, sign.test(text)]).toEqual([at, !answers[at]!.isError]);
  expect(answers.filter((answer) => answer.isError)).toEqual([]);
});

test('of many servers that create one note only what was acknowledged last stands, whole', async () => {
  const folder = await temporaryFolder();
  const clients = [await startBinary(folder), await startBinary(folder)];
  const texts = clients.map((_, who) => `${String(who).repeat(200_000)}\n`);
  for (let round = 0; round < 10; round++) {
    const path = `made/n${round}.md`;
    await Promise.all(clients.map(({ call }, who) => call('write_note', { path, content: texts[who] })));
    expect(texts).toContain(bytesOf(folder, path).toString());
  }
  expect(readdirSync(`${folder}/made`)).toHaveLength(10);
});

test('a note moved by two servers at once arrives in one place, whole', async () => {
  const folder = await temporaryFolder();
  const [one, two] = [await startBinary(folder), await startBinary(folder)];
  for (let round = 0; round < 10; round++) {
    const oldPath = `n${round}.md`;
    await one.call('write_note', { path: oldPath, content: `text ${round}` });
    const answers = await Promise.all([
      one.call('move_note', { oldPath, newPath: `left/${oldPath}` }),
      two.call('move_note', { oldPath, newPath: `right/${oldPath}` }),
    ]);
    expect(answers.filter((answer) => !answer.isError)).toHaveLength(1);
    const side = answers[0]!.isError ? 'right' : 'left';
    expect(bytesOf(folder, `${side}/${oldPath}`).toString()).toBe(`text ${round}`);
  }
  expect(readdirSync(folder).filter((name) => name.endsWith('.md'))).toEqual([]);
});
