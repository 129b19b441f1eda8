import { expect, test } from 'vitest';
import { prepareQuery } from './prepare.ts';

const sent = (raw: string, isFast = false) => prepareQuery(raw, { isFast }).query;

test('a title is looked for as one text', () => {
  expect(sent('title:x y')).toBe('note.title *=* "x y"');
  expect(sent('Title: "x y"')).toBe('note.title *=* "x y"');
  expect(sent('title:say "hi"')).toBe(`note.title *=* 'say "hi"'`);
  expect(sent('title:"\'`')).toBe('note.title *=* "\\"\'`"');
});

test('an id is looked for as an id, and as text if it is none', () => {
  expect(prepareQuery('id:abcd')).toMatchObject({ noteId: 'abcd' });
  expect(prepareQuery('id:_hidden')).toMatchObject({ noteId: '_hidden' });
  expect(prepareQuery('abcdEFGH1234')).toMatchObject({ noteId: 'abcdEFGH1234', query: 'abcdEFGH1234' });
  expect(prepareQuery('abcdEFGHijkl')).not.toHaveProperty('noteId');
  expect(prepareQuery('id:../../app-info')).not.toHaveProperty('noteId');
});

test('either of two words means either', () => {
  const arm = (word: string) => `(note.title *=* "${word}" OR note.content *=* "${word}")`;
  expect(sent('bananas or meeting')).toBe(`# ${arm('bananas')} OR ${arm('meeting')}`);
  expect(sent('a b OR "c d"')).toBe(`# (${arm('a')} AND ${arm('b')}) OR ${arm('c d')}`);
  expect(sent('bananas or #fruit = red')).toBe(`# ${arm('bananas')} OR #fruit = red`);
  expect(sent('a or b', true)).toBe('note.title *=* "a" OR note.title *=* "b"');
});

test.each(['#a or #b', 'towers #book or #author', 'either "this or that"', 'orange door', 'or', 'a or'])(
  '%s stays as it is',
  (query) => {
    expect(sent(query)).toBe(query);
  },
);

test.each([
  ['(#a or #b)', '#a OR #b'],
  ['(note.title = x) or note.title = y', 'note.title = x OR note.title = y'],
  ['(note.title = x or #a) #b', '# (note.title = x OR #a) AND #b'],
  ['not(#book)', '# not(#book)'],
  ['not #book', '# not(#book)'],
  ['tower not #book', 'tower # not(#book)'],
  ['tower (#a or #b) orderBy note.title limit 3', 'tower #a OR #b orderBy note.title limit 3'],
  ['#a or #b and #c', '#a OR (#b AND #c)'],
  ['#a #b or #c', '# (#a AND #b) OR #c'],
  ['# not(#book)', '# not(#book)'],
  ['not(not(#a)) #b', '# not(not(#a)) AND #b'],
  ['C# in depth', '"C#" in depth'],
  ['C# #book', '"C#" #book'],
  ['"a (b" #c', '"a (b" #c'],
])('%s is spelled so that it is understood', (query, expected) => {
  expect(sent(query)).toBe(expected);
});

test('words that may be searched for less strictly', () => {
  const terms = (raw: string) => prepareQuery(raw).terms;
  expect(terms('Niagara "big falls" a 日')).toEqual(['Niagara', 'big falls', '日']);
  expect(terms('a1 b1 c1 d1 e1 f1 g1 h1 i1')).toHaveLength(8);
  for (const syntax of ['#a', 'x = y', 'a or b', 'title:x', 'id:abcd', 'what (now)'])
    expect(terms(syntax)).toEqual([]);
});

test.each(['', '   ', 'x'.repeat(4001)])('refuses %j', (query) => {
  expect(() => prepareQuery(query)).toThrow(expect.objectContaining({ code: 'invalid_input' }));
});
