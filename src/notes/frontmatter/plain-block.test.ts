import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cases } from '../../../test/kit/cases.ts';
import { readPlainBlock } from './parse.ts';
import { parseBlock } from './yaml.ts';

const fromLibrary = (yaml: string) => {
  const block = parseBlock(`---\n${yaml}`);
  return 'problem' in block ? undefined : block.data;
};

describe('reading plain frontmatter', () => {
  it('reads what most notes have', () => {
    const yaml =
      'title: "A: b"\ntags: [a, b/c]\ncreated: 2026-01-02\ncount: 12\ndone: true\naliases:\n  - One\n  - Two words\nempty:\n';
    expect(readPlainBlock(yaml)).toEqual({
      title: 'A: b',
      tags: ['a', 'b/c'],
      created: '2026-01-02',
      count: 12,
      done: true,
      aliases: ['One', 'Two words'],
      empty: null,
    });
    expect(readPlainBlock(yaml.replaceAll('\n', '\r\n'))).toEqual(readPlainBlock(yaml));
  });

  it('reads colons, brackets and hyphens inside of plain text', () => {
    expect(
      readPlainBlock(
        'a: Maps:_small\nb: clear[fi]() method\nc: Privacy and :visited\nd: -moz-float-edge\nf: ::before\ng: <angle>\ne:\n  - a{b}, c\n',
      ),
    ).toEqual({
      a: 'Maps:_small',
      b: 'clear[fi]() method',
      c: 'Privacy and :visited',
      d: '-moz-float-edge',
      f: '::before',
      g: '<angle>',
      e: ['a{b}, c'],
    });
  });

  it.each([
    'a: b: c',
    'a: b:',
    'a: b c:',
    'a: b:#c',
    'a: -:',
    'a: [b]c',
    'a: -.inf',
    'a: &x 1',
    'a: 007',
    'a: 1.10',
    'a: |',
    'a: # c',
    'a: b # c',
    'a:\n  b: 1',
    '# c\na: 1',
    'a: 1\na: 2',
    '- a',
    'a: [b, [c]]',
    'a: [b,]',
    'a:\n- b\n  - c',
    '__proto__: 1',
    'a: "\\n"',
  ])('leaves %j to the library', (yaml) => {
    expect(readPlainBlock(yaml)).toBeUndefined();
  });

  it('never disagrees with the library', () => {
    const piece = fc.constantFrom(
      'a',
      'b',
      'key',
      ': ',
      ':',
      ' ',
      '  ',
      '- ',
      '-',
      '\n',
      '\n',
      '\r\n',
      '[',
      ']',
      ', ',
      ',',
      '"',
      "'",
      '#',
      ' #',
      '1',
      '0',
      '12',
      '-1',
      '1.5',
      '1e3',
      '0x1f',
      '0o7',
      'true',
      'True',
      'no',
      'null',
      '-a',
      '::',
      '<a',
      '(a',
      '$a',
      '/a',
      'a:b',
      ' :b',
      'a[b]',
      ' {b}',
      '~',
      '.nan',
      '.inf',
      '2026-01-02',
      '12:30',
      'https://a.b/',
      '2D',
      '3 ',
      'Maße —',
      'what?',
      'a, b',
      '<b>',
      '\u2028',
      '\u0085',
      '\ud83d\ude00',
      '\u00a0',
      'http://c?d=e',
      'a b',
      '(x)',
      '+',
      '/',
      '.',
      '_',
      'é',
      '\t',
      '&a',
      '*a',
      '!t',
      '|',
      '>',
      '%',
      '@',
      '`',
      '{',
      '}',
      '?',
      '---',
      '...',
      '<<',
    );
    const line = fc
      .tuple(
        fc.constantFrom('a', 'b', 'c_d', 'e-f', '__proto__', 'x y'),
        fc.constantFrom(':', ': ', ':  '),
        fc.array(piece, { maxLength: 4 }),
      )
      .map(([key, colon, value]) => key + colon + value.join(''));
    const item = fc
      .tuple(
        fc.constantFrom('- ', '  - ', '-', '    - '),
        fc.oneof(fc.constant(['word']), fc.array(piece, { maxLength: 2 })),
      )
      .map(([dash, value]) => dash + value.join(''));
    const block = fc.array(
      fc.oneof(
        { weight: 3, arbitrary: line },
        { weight: 2, arbitrary: item },
        { weight: 1, arbitrary: fc.array(piece, { maxLength: 4 }).map((pieces) => pieces.join('')) },
      ),
      { maxLength: 6 },
    );
    fc.assert(
      fc.property(block, fc.constantFrom('\n', '\r\n'), (lines, ending) => {
        const yaml = `${lines.join(ending)}${ending}`;
        const plain = readPlainBlock(yaml);
        if (plain !== undefined) expect(plain).toEqual(fromLibrary(yaml));
      }),
      { numRuns: cases(5_000) },
    );
  });
});
