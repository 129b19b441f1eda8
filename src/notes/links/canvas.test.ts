import { describe, expect, test } from 'vitest';
import type { NotePath } from '../path.ts';
import { rewriteCanvas } from './canvas.ts';
import { createLinkResolver } from './resolve.ts';
import type { RewriteContext } from './rewrite.ts';

function contextOf(moves: Record<string, string>): RewriteContext {
  const files = ['a/Old "x".md', 'a/Old.md', 'a/pic.png', 'board.canvas'] as NotePath[];
  const moved = (path: NotePath) => (moves[path] ?? path) as NotePath;
  const board = 'board.canvas' as NotePath;
  return {
    from: board,
    to: board,
    before: createLinkResolver(files),
    after: createLinkResolver(files.map(moved)),
    moved,
  };
}

describe('a canvas', () => {
  const context = contextOf({ 'a/Old.md': 'b/New "1".md', 'a/pic.png': 'b/pic.png' });

  test('follows file cards, group pictures and links in text cards, and keeps its format', () => {
    const canvas = [
      '{ "nodes":[',
      '\t{"id":"1", "type":"file",  "file":"a\\/Old.md","subpath":"#h"},',
      '\t{"type":"text","text":"\\u00e9\\n[[Old|x]] and [t](a/Old.md) \\ud83d\\ude00 `[[Old]]`"},',
      '\t{"background":"a/pic.png","type":"group","label":"a/Old.md"}',
      '],"edges":[{"file":"a/Old.md"}], "x": 1e2 }\r\n',
    ].join('\r\n');
    const { text, count, stale } = rewriteCanvas(canvas, context);
    expect(text).toBe(
      canvas
        .replace('a\\/Old.md', 'b/New \\"1\\".md')
        .replace('[[Old|x]]', '[[New \\"1\\"|x]]')
        .replace('(a/Old.md)', '(b/New%20\\"1\\".md)')
        .replace('a/pic.png', 'b/pic.png'),
    );
    expect({ count, stale }).toEqual({ count: 4, stale: 0 });
  });

  test('quotes in old paths are read as JSON means them', () => {
    const canvas = '{"nodes":[{"type":"file","file":"a/Old \\"x\\".md"}]}';
    expect(rewriteCanvas(canvas, contextOf({ 'a/Old "x".md': 'c.md' })).text).toBe(
      '{"nodes":[{"type":"file","file":"c.md"}]}',
    );
  });

  test.each([
    '',
    'not json',
    '[]',
    '{"nodes":3}',
    '{"nodes":[{"type":"file","file":"a/Old.md"}',
    '{"nodes":[1,null,{"type":7}]}',
    '{"nodes":[{"type":"link","url":"a/Old.md"},{"type":"file","file":7}]}',
  ])('%j comes back unchanged', (json) => {
    expect(rewriteCanvas(json, context)).toEqual({ text: json, count: 0, stale: 0 });
  });

  test('a BOM stays', () => {
    const canvas = '\uFEFF{"nodes":[{"type":"file","file":"a/pic.png"}]}';
    expect(rewriteCanvas(canvas, context).text).toBe(canvas.replace('a/pic', 'b/pic'));
  });
});
