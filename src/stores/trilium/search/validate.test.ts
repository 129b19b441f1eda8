import { describe, expect, test } from 'vitest';
import { checkQuery } from './validate.ts';

describe('what Trilium understands goes through', () => {
  test.each([
    'niagara falls',
    "what's up (really?) 100% = fun",
    '"an exact phrase" word',
    '#book',
    '#!book',
    'towers #book or #author',
    '#book and #publicationYear >= 1954',
    '#publicationYear>1950',
    "#dateNote >= TODAY-30 note.type = 'text'",
    '~author.title *=* "tolk (x"',
    '~author.relations.son.title = x',
    'note.labels.year = 2000',
    'note.labels.archived',
    'note.parents.title = "Books" OR note.ancestors.noteId = abcd',
    'note.children.childrenCount > 3',
    'not(#a) and (#b or (~c and note.mime =* text))',
    'note.title %= "^A.*$"',
    'note.content ~* word',
    'niagara note.type = text orderBy note.title asc limit 5',
    '#a orderBy #b desc, note.dateModified limit 3',
    'NOTE.TITLE = x',
    "note.noteId != ''",
    '#näme:x = 1',
  ])('%s', (query) => expect(() => checkQuery(query)).not.toThrow());
});

describe('what Trilium would guess at is refused with its place', () => {
  test.each<[string, string]>([
    ['note.nonsense = 1', 'no property "nonsense"'],
    ['note.titel = 1', 'did you mean note.title?'],
    ['note.title', 'An operator and a value'],
    ['#status =', 'A value is missing'],
    ['#status = = 3', 'A value is missing'],
    ['(#status', 'not closed'],
    ['#status)', 'closes nothing'],
    ['#a ()', 'nothing inside'],
    ['#a or', 'A condition is missing'],
    ['#a and', 'A condition is missing'],
    ['#a = "x', 'not closed'],
    ['#status done', 'Words to look for stand before'],
    ['meeting #1 agenda', 'Words to look for stand before'],
    ['#a orderBy', 'Order by'],
    ['#a orderBy title', 'Order by'],
    ['#a orderBy note.nope', 'no property "nope"'],
    ['#a limit many', 'A number is missing'],
    ['#a.b = 1', 'A label has no properties'],
    ['~a.nope = 1', 'no property "nope"'],
    ['note.labels = 1', 'name of a label'],
  ])('%s', (query, problem) => {
    expect(() => checkQuery(query)).toThrow(
      expect.objectContaining({ code: 'invalid_input', hint: expect.stringContaining(problem) }),
    );
  });
});

test('the shape of a query', () => {
  expect(checkQuery('a "b c" #d orderBy #e')).toEqual({
    isStructured: true,
    hasOrder: true,
    words: ['a', 'b c'],
    lead: 'a "b c"',
    structure: '#d orderBy #e',
    looksElsewhere: false,
    expression: expect.objectContaining({ kind: 'condition', text: '#d' }),
    ending: 'orderBy #e',
  });
  expect(checkQuery('a or b')).toMatchObject({ isStructured: false, words: ['a', 'or', 'b'] });
});

test.each<[string, boolean]>([
  ['~link.title = x', true],
  ['note.parents.title = x', true],
  ['note.children.parents.title = x', true],
  ['note.ancestors.title = x', true],
  ['note.relations.a.content *=* x', true],
  ['#a orderBy note.parents.title', true],
  ['~link', false],
  ['note.children.title = x', false],
  ['"note.parents.title = x"', false],
])('%s asks about other notes: %s', (query, expected) => {
  expect(checkQuery(query).looksElsewhere).toBe(expected);
});
