import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { fieldsOf, isReserved, labelsFor, readLabelValue, writeLabelValue } from './label-fields.ts';

const shown = (fields: Record<string, unknown>) =>
  labelsFor(fields).map(({ name, value }) => (value === '' ? `#${name}` : `#${name}=${value}`));

describe('frontmatter as labels', () => {
  test.each([
    [{ status: 'open' }, ['#status=open']],
    [{ aliases: ['a', 'b'] }, ['#aliases=a', '#aliases=b']],
    [{ aliases: ['a'] }, ['#aliases=["a"]']],
    [{ aliases: [] }, ['#aliases=[]']],
    [{ tags: ['a', 'b'] }, ['#a', '#b']],
    [
      { tags: ['to-do', 'a/b', 'template', 'RUN', 'tag'] },
      ['#tag=to-do', '#tag=a/b', '#tag=template', '#tag=RUN', '#tag=tag'],
    ],
    [
      { n: 3, s: '3', t: true, u: 'true', v: null, w: 'null', x: '' },
      ['#n=3', '#s="3"', '#t=true', '#u="true"', '#v=null', '#w="null"', '#x=""'],
    ],
    [{ due: '2026-11-20', code: '007' }, ['#due=2026-11-20', '#code=007']],
    [{ map: { a: [1, { b: 'c' }] } }, ['#map={"a":[1,{"b":"c"}]}']],
    [{ text: 'one\ntwo\n' }, ['#text=one\ntwo\n']],
    [{ 'a b#c': 1 }, ['#frontmatter={"a b#c":1}']],
    [{ 'created-at': 'x' }, ['#frontmatter={"created-at":"x"}']],
    [
      { run: 'frontendStartup', widget: true },
      ['#frontmatter={"run":"frontendStartup"}', '#frontmatter={"widget":true}'],
    ],
    [{ tag: 'x', frontmatter: 'y' }, ['#frontmatter={"tag":"x"}', '#frontmatter={"frontmatter":"y"}']],
  ])('%j', (fields, labels) => {
    expect(shown(fields)).toEqual(labels);
    expect(fieldsOf(labelsFor(fields))).toEqual(fields);
    expect(Object.keys(fieldsOf(labelsFor(fields)))).toEqual(Object.keys(fields));
  });

  test('whatever the values are, they come back', () => {
    const key = fc.oneof(
      fc.constantFrom('status', 'a b', 'run', 'tag', 'frontmatter', 'é', 'x-y', '_x', 'label:a', 'share'),
      fc
        .string({ minLength: 1, maxLength: 8, unit: 'grapheme' })
        .filter((name) => name !== 'tags' && name !== '__proto__'),
    );
    const value = fc.oneof(
      fc.jsonValue({ maxDepth: 2 }),
      fc.constantFrom(
        '"',
        '""',
        '"x"',
        '"3"',
        '"\\"3\\""',
        '[',
        '[]',
        '{}',
        '-0',
        '1e21',
        '1.0',
        ' x ',
        '\n',
      ),
    );
    fc.assert(
      fc.property(fc.dictionary(key, value, { maxKeys: 6 }), (fields) => {
        const plain = JSON.parse(JSON.stringify(fields));
        const labels = labelsFor(plain);
        expect(labels.every(({ name }) => !isReserved(name))).toBe(true);
        expect(fieldsOf(labels)).toEqual(plain);
      }),
      { seed: 16, numRuns: 500 },
    );
  });

  test('every label of a Trilium reads as something, and means the same when written again', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 12, unit: 'grapheme' }), (text) => {
        if (text !== '')
          expect(readLabelValue(writeLabelValue(readLabelValue(text)))).toEqual(readLabelValue(text));
      }),
      { seed: 17, numRuns: 500 },
    );
    expect(
      fieldsOf([
        { name: 'todo', value: '' },
        { name: 'tag', value: 'x' },
        { name: 'todo', value: '' },
        { name: 'todo', value: 'later' },
      ]),
    ).toEqual({
      tags: ['todo', 'x'],
      todo: 'later',
    });
  });

  test('tags as words with commas between are a list; tags that are no words are refused', () => {
    expect(shown({ tags: 'a, #b' })).toEqual(['#a', '#b']);
    expect(shown({ tags: null })).toEqual([]);
    expect(() => labelsFor({ tags: [{ a: 1 }] })).toThrow('tags holds more than words');
    expect(() => labelsFor({ tags: { a: 1 } })).toThrow('tags holds more than words');
    expect(() => labelsFor({ list: Array.from({ length: 201 }, (_, at) => `i${at}`) })).toThrow('201 labels');
  });

  test.each([
    'run',
    'Run',
    'customRequestHandler',
    'customResourceProvider',
    'widget',
    'shareRaw',
    'shareCredentials',
    'runOnInstance',
    'iconClass',
    'archived',
    'sorted',
    '_x',
    'label:x',
    'disabled:run',
    'titleTemplate',
    'appCss',
  ])('%s is Trilium’s own', (name) => expect(isReserved(name)).toBe(true));
  test.each(['status', 'color', 'language', 'due', 'title', 'author', 'startDate', 'priority'])(
    '%s is not',
    (name) => expect(isReserved(name)).toBe(false),
  );
});
