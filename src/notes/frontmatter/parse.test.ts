import { describe, expect, it } from 'vitest';
import { processorTime } from '../../../test/kit/processor-time.ts';
import { parseFrontmatter } from './parse.ts';

const read = async (yaml: string) => parseFrontmatter(`---\n${yaml}\n---\nbody\n`);

describe('parseFrontmatter reads', () => {
  const values: [string, unknown][] = [
    ['2026-01-02', '2026-01-02'],
    ['{{date}}', '{{date}}'],
    ['{{date:YYYY-MM-DD}}T{{time}} # made', '{{date:YYYY-MM-DD}}T{{time}}'],
    ['\n  - {{title}}\n  - other', ['{{title}}', 'other']],
    ['2026-01-02T10:00:00Z', '2026-01-02T10:00:00Z'],
    ['007', 7],
    ['1.10', 1.1],
    ['12:30', '12:30'],
    ['yes', 'yes'],
    ['true', true],
    ['~', null],
    ['', null],
    ['.nan', '.nan'],
    ['-.inf', '-.inf'],
    ['1e999', '1e999'],
    ['-0', 0],
    ['0x1F', 31],
    ['1e20', 1e20],
    ['1234567890123456789', '1234567890123456789'],
    ['!!binary aGk=', 'aGk='],
    ['!custom x', 'x'],
    ['!!str 12', '12'],
    ['!!timestamp 2026-01-02', '2026-01-02'],
    ['[a, [b], {c: d}, e: f]', ['a', ['b'], { c: 'd' }, { e: 'f' }]],
    ['>\n  one\n  two\n', 'one two\n'],
    ['[&x [1], *x]', [[1], [1]]],
  ];
  for (const [yaml, value] of values)
    it(`${JSON.stringify(yaml)} as ${JSON.stringify(value)}`, async () => {
      expect(await read(`a: ${yaml}`)).toEqual({
        data: { a: value },
        body: 'body\n',
        bodyStart: expect.any(Number),
      });
    });

  it('keys as text', async () => {
    expect((await read('1: a\nnull: b\ntrue: c\n007: d\n<<: e')).data).toEqual({
      '1': 'a',
      null: 'b',
      true: 'c',
      '007': 'd',
      '<<': 'e',
    });
  });

  it('literal text of a CRLF note with LF', async () => {
    const { data } = await parseFrontmatter('---\r\na: |\r\n  x\r\n  y\r\nb: "p\r\n  q"\r\n---\r\n');
    expect(data).toEqual({ a: 'x\ny\n', b: 'p q' });
  });

  it('a note without frontmatter, dropping only the byte order mark', async () => {
    expect(await parseFrontmatter('\uFEFFtext')).toEqual({ data: {}, body: 'text', bodyStart: 1 });
    expect(await parseFrontmatter('---\nprose\n---\n')).toEqual({
      data: {},
      body: '---\nprose\n---\n',
      bodyStart: 0,
    });
    expect(await parseFrontmatter('---\n---\nx')).toEqual({ data: {}, body: 'x', bodyStart: 8 });
  });

  it('__proto__ as a key like any other', async () => {
    const { data } = await read('__proto__:\n  polluted: 1\na: {__proto__: {polluted: 1}}');
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
    expect(data.polluted).toBeUndefined();
    expect((data.a as Record<string, unknown>).polluted).toBeUndefined();
    expect(JSON.stringify(data)).toBe('{"__proto__":{"polluted":1},"a":{"__proto__":{"polluted":1}}}');
  });

  it('aliases as copies', async () => {
    const { data } = await read('a: &x {k: 1}\nb: *x');
    (data.a as Record<string, unknown>).k = 2;
    expect(data.b).toEqual({ k: 1 });
  });
});

describe('parseFrontmatter reports', () => {
  const problems: [string, RegExp][] = [
    ['a: 1\nb: "open', /line \d+$/],
    ['a: 1\na: 2', /^The key "a" is there twice, line 3$/],
    ['a: {b: 1, "b": 2}', /^The key "b" is there twice, line 2$/],
    ['a: *missing', /^The alias \*missing has no anchor before it, line 2$/],
    ['a: &x [*x]', /alias \*x .* line 2$/],
    ['a: 1\n\tb: 2', /line \d$/],
    ['a: b: c', /line 2$/],
    ['? [a]\n: 1', /line 2$/],
    ['a: 1\n--- b', /line \d$/],
    ['"a\nb: c"', /line \d$/],
  ];
  for (const [yaml, message] of problems)
    it(`${JSON.stringify(yaml)} and hides nothing`, async () => {
      const text = `---\n${yaml}\n---\nbody\n`;
      const parsed = await parseFrontmatter(text);
      expect(parsed.problem).toMatch(message);
      expect(parsed).toMatchObject({ data: {}, body: text, bodyStart: 0 });
    });

  const bomb = ['l0: &l0 [x, x, x, x, x, x, x, x, x]'];
  for (let level = 1; level < 40; level++)
    bomb.push(
      `l${level}: &l${level} [${Array(9)
        .fill(`*l${level - 1}`)
        .join(', ')}]`,
    );
  const chain = ['c0: &c0 [x]'];
  for (let level = 1; level < 3_000; level++) chain.push(`c${level}: &c${level} [*c${level - 1}]`);
  const hostile: Record<string, string> = {
    'an alias bomb': bomb.join('\n'),
    'a chain of aliases': chain.join('\n'),
    'a long text aliased often': `a: &a ${'x'.repeat(10_000)}\nb: [${'*a, '.repeat(10_000)}]`,
    'open brackets': `a: ${'['.repeat(90_000)}`,
    'nested brackets': `a: ${'['.repeat(45_000)}${']'.repeat(45_000)}`,
    'nested braces': `a: ${'{a: '.repeat(20_000)}`,
    'compact lists': `a:\n  ${'- '.repeat(45_000)}x`,
    'explicit keys': `a: 1\n${'? '.repeat(45_000)}x`,
    'keys in a row': `a: ${'a: '.repeat(30_000)}`,
    'deep indentation': Array.from({ length: 400 }, (_, depth) => `${' '.repeat(depth)}k:`).join('\n'),
    'a huge block': `a: ${'x'.repeat(200_000)}`,
  };
  for (const [name, yaml] of Object.entries(hostile))
    it(`${name} quickly`, async () => {
      const spent = processorTime();
      expect((await read(yaml)).problem).toMatch(/, line \d+$/);
      expect(spent()).toBeLessThan(1_500);
    });

  it('a problem in one short line', async () => {
    expect((await read(`a: ${'!'.repeat(50_000)}`)).problem?.length).toBeLessThan(250);
  });
});
