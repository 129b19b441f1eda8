/** What an expression of a base uses, told before it is evaluated. */
import { ALL_METHODS, FUNCTION_NAMES } from './evaluate.ts';
import type { Expression } from './expression.ts';

const FILE_FIELDS = [
  'name',
  'basename',
  'path',
  'folder',
  'ext',
  'size',
  'mtime',
  'tags',
  'links',
  'backlinks',
  'properties',
  'file',
];

/** Names everything in an expression that is not supported. */
export function unsupportedIn(expression: Expression): string[] {
  const found: string[] = [];
  for (const part of partsOf(expression)) {
    if (part.type === 'call' && !FUNCTION_NAMES.has(part.name)) found.push(`${part.name}()`);
    if (part.type === 'method' && !ALL_METHODS.has(part.name)) found.push(`.${part.name}()`);
    if (part.type === 'member' && isFile(part.object) && !FILE_FIELDS.includes(part.name))
      found.push(`file.${part.name}`);
  }
  return found;
}

export function asksForLinks(expression: Expression): boolean {
  return partsOf(expression).some(
    (part) =>
      (part.type === 'member' && ['links', 'backlinks'].includes(part.name)) ||
      (part.type === 'method' && ['hasLink', 'linksTo'].includes(part.name)),
  );
}

function isFile(expression: Expression): boolean {
  return expression.type === 'name' && expression.name === 'file';
}

function partsOf(expression: Expression): Expression[] {
  switch (expression.type) {
    case 'literal':
    case 'name':
      return [expression];
    case 'list':
      return [expression, ...expression.items.flatMap(partsOf)];
    case 'member':
      return [expression, ...partsOf(expression.object)];
    case 'index':
      return [expression, ...partsOf(expression.object), ...partsOf(expression.index)];
    case 'call':
      return [expression, ...expression.args.flatMap(partsOf)];
    case 'method':
      return [expression, ...partsOf(expression.object), ...expression.args.flatMap(partsOf)];
    case 'unary':
      return [expression, ...partsOf(expression.operand)];
    case 'binary':
      return [expression, ...partsOf(expression.left), ...partsOf(expression.right)];
  }
}
