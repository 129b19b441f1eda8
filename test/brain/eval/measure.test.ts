import { describe, expect, test } from 'vitest';
import { figuresOf, isClearlyBetter, measure, type WayResult } from '../../../src/brain/eval/measure.ts';
import { recommendationOf } from '../../../src/brain/eval/recommend.ts';

function way(name: string, places: readonly number[]): WayResult {
  return { name, places, msPerQuestion: 1 };
}

function times(count: number, place: number): number[] {
  return new Array<number>(count).fill(place);
}

const NOT_FOUND = Number.POSITIVE_INFINITY;

test('the place of the right note counts among different notes, without those set aside', async () => {
  const found = ['hub.md', 'a.md', 'a.md', 'b.md', 'right.md', 'c.md'];
  const asked: number[] = [];
  const find = async (_: string, most: number) => {
    asked.push(most);
    return found;
  };
  const question = { kind: 'title', text: 'x', answer: 'right.md' } as const;
  const { places } = await measure({ name: 'w', find }, [
    { ...question, aside: new Set() },
    { ...question, aside: new Set(['hub.md', 'b.md']) },
    { ...question, aside: new Set(['right.md', 'hub.md']) },
    { ...question, aside: new Set(), answer: 'none.md' },
  ]);
  expect(places).toEqual([4, 2, 3, NOT_FOUND]);
  expect(asked).toEqual([10, 12, 12, 10]);
});

test('figures', () => {
  const { ndcg10, hit1, hit5 } = figuresOf(way('w', [1, 3, 10, NOT_FOUND]));
  expect(ndcg10).toBeCloseTo((1 + 1 / 2 + 1 / Math.log2(11)) / 4);
  expect([hit1, hit5]).toEqual([0.25, 0.5]);
});

describe('one way is clearly better than another', () => {
  const usual = way('usual', [...times(40, 1), ...times(60, 2)]);

  test('when it gains more than chance would give', () => {
    const better = way('better', [...times(60, 1), ...times(40, 2)]);
    expect(isClearlyBetter(better, usual)).toBe(true);
    expect(isClearlyBetter(usual, better)).toBe(false);
  });

  test('not when gains and losses are about even, or nothing differs', () => {
    const mixed = way('mixed', [...times(30, 1), ...times(58, 2), ...times(12, 1)]);
    expect(isClearlyBetter(mixed, usual)).toBe(false);
    expect(isClearlyBetter(usual, usual)).toBe(false);
  });
});

describe('the recommendation', () => {
  const words = way('words alone', times(100, 3));
  const meaning = way('words and meaning', times(100, 2));
  const model = way('small-model', times(100, 1));

  test('needs enough questions', () => {
    expect(recommendationOf({ words: way('words alone', times(12, 1)) })).toMatch(
      /^Too few questions to tell the ways apart: 12, and 30 are needed\./,
    );
  });

  test.each([
    [{ words, meaning }, 'Keep the default: words and meaning find clearly more'],
    [{ words: meaning, meaning: { ...words, name: 'words and meaning' } }, 'Ask with mode: exact'],
    [{ words, meaning: words }, 'Keep the default: on these notes, meaning makes no clear difference'],
    [{ words, meaning, model }, 'Keep the embedding model: small-model finds clearly more'],
    [{ words, meaning: model, model: meaning }, 'Leave the embedding model out'],
    [{ words, model: words }, 'Leave the embedding model out (brain.embeddings: auto): it makes no clear'],
  ])('%#', (results, expected) => {
    expect(recommendationOf(results)).toContain(expected);
  });
});
