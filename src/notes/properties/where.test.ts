import { expect, test } from 'vitest';
import type { NotePath } from '../path.ts';
import type { NoteEntry } from '../searcher.ts';
import { parseWhere } from './where.ts';

const NOW = Date.UTC(2026, 5, 15);

function note(frontmatter: Record<string, unknown>): NoteEntry {
  const path = 'work/Plan.md' as NotePath;
  const entry = { path, title: 'Plan', size: 10, lastModified: NOW, length: 3 };
  return { ...entry, frontmatter, frontmatterTags: ['a/b'], inlineTags: ['c'] };
}

const PLAN = note({
  status: 'Open',
  prio: 2,
  year: '2020',
  due: '2026-06-20',
  at: '2026-06-20T10:00',
  authors: ['Ann', 'Bo'],
  done: false,
  empty: null,
  none: [],
  nested: { deep: 3 },
});

test.each([
  [{}, true],
  [{ status: 'open' }, true],
  [{ STATUS: 'open' }, true],
  [{ status: 'open', prio: 1 }, false],
  [{ prio: '2' }, true],
  [{ year: 2020 }, true],
  [{ prio: { '>': 1, '<=': 2 } }, true],
  [{ due: { '<': '2026-06-21' } }, true],
  [{ due: { '<': 'today' } }, false],
  [{ due: { '<': 'today+1w' } }, true],
  [{ at: { '<=': '2026-06-20' } }, true],
  [{ at: { '>': '2026-06-20' } }, false],
  [{ authors: 'ann' }, true],
  [{ authors: { contains: 'bo' } }, true],
  [{ authors: { contains: 'b' } }, false],
  [{ status: { contains: 'PE' } }, true],
  [{ status: { in: ['done', 'open'] } }, true],
  [{ status: { '!=': 'open' } }, false],
  [{ other: { '!=': 'open' } }, true],
  [{ other: { '<': 5 } }, false],
  [{ status: { '<': 5 } }, false],
  [{ empty: { missing: true } }, true],
  [{ empty: { exists: true } }, false],
  [{ done: { exists: true } }, true],
  [{ none: { exists: true } }, false],
  [{ done: false }, true],
  [{ 'nested.deep': 3 }, true],
  [{ 'note.status': 'open' }, true],
  [{ or: [{ prio: 1 }, { prio: 2 }] }, true],
  [{ not: { prio: 2 } }, false],
  [{ and: [{ prio: 2 }, { not: { done: true } }] }, true],
  [{ 'file.name': 'plan.md', 'file.folder': 'work', 'file.ext': 'md' }, true],
  [{ 'file.mtime': { '>=': '2026-06-15' }, 'file.size': { '>': 5 } }, true],
  [{ 'file.tags': 'c' }, true],
  [{ constructor: { exists: true } }, false],
])('%j: %s', (where, expected) => {
  expect(parseWhere(where, NOW).condition(PLAN)).toBe(expected);
});

test.each([
  ['status=open', 'where: must be an object'],
  [[], 'where: must be an object'],
  [{ due: { lt: 1 } }, 'where.due: has the unknown operator "lt"; use one of =, !=, <'],
  [{ due: {} }, 'where.due: has no operator'],
  [{ due: ['a'] }, 'where.due: is a list; use {"in":[…]}'],
  [{ due: null }, 'where.due: is null; use {"missing":true}'],
  [{ due: { in: 'a' } }, 'where.due.in: must be a list'],
  [{ due: { exists: 1 } }, 'where.due.exists: must be true or false'],
  [{ or: { a: 1 } }, 'where.or: must be a list'],
  [{ or: [{ a: { x: 1 } }] }, 'where.or[0].a: has the unknown operator "x"'],
  [{ not: 1 }, 'where.not: must be an object'],
  [{ 'file.created': 1 }, 'where.file.created: is no field of a file; there are file.name'],
  [{ due: { toString: 1 } }, 'where.due: has the unknown operator "toString"'],
  [JSON.parse(`${'{"not":'.repeat(30)}{}${'}'.repeat(30)}`), 'is nested more than 10 deep'],
  [Object.fromEntries(Array.from({ length: 101 }, (_, at) => [`k${at}`, 1])), 'has more than 100 conditions'],
])('%j is refused', (where, message) => {
  expect(() => parseWhere(where, NOW)).toThrow(message);
});
