import { describe, expect, it } from 'vitest';
import { compileRules, type FrontmatterRule, ruleProblems } from './rules.ts';

const startsWith = (glob: string) => (path: string) => path.startsWith(glob.replace('**', ''));

function check(rule: FrontmatterRule, data: Record<string, unknown>, path = 'a.md'): string[] {
  return ruleProblems(compileRules([rule], startsWith), path, data);
}

describe('ruleProblems', () => {
  it('is silent for notes that keep the rules', () => {
    const rule: FrontmatterRule = {
      required: ['title'],
      fields: {
        title: { type: 'string', min: 2, max: 20, pattern: '^\\p{L}' },
        created: { type: 'date' },
        tags: { type: 'list', enum: ['a', 'b'], max: 2 },
        rank: { type: 'number', min: 1, max: 5 },
        done: { type: 'boolean' },
      },
      order: [['created', 'updated']],
    };
    const data = {
      title: 'Ä title',
      created: '2024-02-29',
      updated: '2024-02-29',
      tags: ['a'],
      rank: 5,
      done: false,
    };
    expect(check(rule, data)).toEqual([]);
    expect(check(rule, { title: 'only' })).toEqual([]);
  });

  it('asks for required keys', () => {
    const data = { b: null, c: '', d: [], e: 0, f: false };
    expect(check({ required: ['a', 'b', 'c', 'd', 'e', 'f', 'toString'] }, data)).toEqual([
      'a is required',
      'b is required',
      'c is required',
      'd is required',
      'toString is required',
    ]);
  });

  it('applies only where path and condition fit', () => {
    const rule: FrontmatterRule = { paths: 'blog/**', when: { type: 'post' }, required: ['title'] };
    expect(check(rule, { type: 'post' }, 'blog/a.md')).toEqual(['title is required']);
    expect(check(rule, { type: ['post', 'x'] }, 'blog/a.md')).toEqual(['title is required']);
    expect(check(rule, { type: 'page' }, 'blog/a.md')).toEqual([]);
    expect(check(rule, {}, 'blog/a.md')).toEqual([]);
    expect(check(rule, { type: 'post' }, 'b.md')).toEqual([]);
  });

  const fields: [NonNullable<FrontmatterRule['fields']>[string], unknown, string][] = [
    [{ enum: ['draft', 'published'] }, 'x', 'f must be one of draft, published (got "x")'],
    [{ enum: [1, true] }, '1', 'f must be one of 1, true (got "1")'],
    [{ enum: ['a'] }, ['a', 'b'], 'f must be one of a (got "b")'],
    [{ type: 'string' }, 1, 'f must be text (got 1)'],
    [{ type: 'number' }, '1', 'f must be a number (got "1")'],
    [{ type: 'boolean' }, 'yes', 'f must be true or false (got "yes")'],
    [{ type: 'list' }, 'a', 'f must be a list (got "a")'],
    [{ type: 'date' }, '2023-02-29', 'f must be a date such as 2024-01-15 (got "2023-02-29")'],
    [{ type: 'date' }, '15.1.2024', 'f must be a date such as 2024-01-15 (got "15.1.2024")'],
    [{ pattern: '^[a-z]+$' }, 'A', 'f must match ^[a-z]+$ (got "A")'],
    [{ pattern: '^(a+)+$' }, 'a'.repeat(2000), 'f must not be longer than 1000 characters (got 2000)'],
    [{ pattern: 'x' }, { x: 1 }, 'f must be text (got {"x":1})'],
    [{ min: 1 }, 0, 'f must be at least 1 (got 0)'],
    [{ max: 3 }, 'long', 'f must be at most 3 characters long (got 4)'],
    [{ min: 2 }, ['a'], 'f must be at least 2 items long (got 1)'],
  ];
  for (const [field, value, problem] of fields)
    it(`says: ${problem}`, () => {
      expect(check({ fields: { f: field } }, { f: value })).toEqual([problem]);
    });

  it('compares two keys', () => {
    const rule: FrontmatterRule = { order: [['start', 'end']] };
    expect(check(rule, { start: '2024-02-01', end: '2024-01-31' })).toEqual([
      'start must not be after end (2024-02-01 is after 2024-01-31)',
    ]);
    expect(check(rule, { start: '2024-01-31T10:00:00+02:00', end: '2024-01-31 08:00' })).toEqual([]);
    expect(check(rule, { start: 2, end: 1 })).toEqual(['start must not be after end (2 is after 1)']);
    expect(check(rule, { start: 'soon', end: '2024-01-31' })).toEqual([
      'start and end must be two dates or two numbers to be compared',
    ]);
    expect(check(rule, { start: '2024-01-31' })).toEqual([]);
  });

  it('names a problem once and collects those of all rules', () => {
    const rules = compileRules([{ required: ['a'] }, { required: ['a', 'b'] }], startsWith);
    expect(ruleProblems(rules, 'a.md', {})).toEqual(['a is required', 'b is required']);
  });

  it('refuses a pattern that is no regular expression when rules are compiled', () => {
    expect(() => check({ fields: { f: { pattern: '(' } } }, {})).toThrow(
      'rule 1, f: the pattern is not a valid',
    );
  });
});
