import { expect, test } from 'vitest';
import { measureShare } from '../../../src/brain/eval/model-share.ts';
import { openLibrary } from '../../../src/brain/retrieve/library.ts';
import { sourceOf } from '../kit.ts';

/** Notes that link to each other from sentences in English, and as many in German. */
function linked(): Record<string, string> {
  const notes: Record<string, string> = {};
  for (let n = 0; n < 40; n++) {
    notes[`kiln${n}.md`] = `A long text about glaze${n} and clay${n}, which is baked at night. `.repeat(3);
    notes[`ofen${n}.md`] = `Langer Text: Glasur${n} sowie Ton${n}, nachts gebrannt. `.repeat(3);
    notes[`diary${n}.md`] = `We talked about glaze${n} and the clay${n} of the pots in [[kiln${n}]] today.`;
    notes[`tagebuch${n}.md`] =
      `Gestern Glasur${n} sowie Ton${n} besprochen, Scherben gesammelt: [[ofen${n}]].`;
  }
  return notes;
}

const answerTo = (query: string) =>
  `${/glaze/i.test(query) ? 'kiln' : 'ofen'}${/(?:glaze|glasur)(\d+)/i.exec(query)?.[1]}.md`;

test('a model counts where it finds more than words, and only fills where it finds less', async () => {
  const library = openLibrary([await sourceOf(linked())]);
  const shareOf = await measureShare(library, async (query, _limit, share) => {
    const isRight = /glaze/i.test(query) ? share > 0.5 : share < 0.1;
    return isRight ? [answerTo(query)] : ['other.md', 'another.md', answerTo(query)];
  });
  expect(shareOf('what did we say about the glaze?')).toBe(0.6);
  expect(shareOf('Glasur Scherben')).toBeLessThan(0.01);
});

test('few links say nothing: the model counts as usual', async () => {
  const library = openLibrary([await sourceOf({ 'a.md': 'See [[b]] for more.', 'b.md': 'text' })]);
  const shareOf = await measureShare(library, async () => []);
  expect(shareOf('anything')).toBe(1);
});
