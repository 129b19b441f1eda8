/** The texts in the source, as a reader of the program's output meets them. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { transformSync } from 'esbuild';
import { parseAst } from 'vite';
import { ROOT } from './code-blocks.ts';

export function sourcesBelow(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'));
}

/** The texts in quotes and backticks, without those of imports; a template is cut where a value goes. */
export function literalsOf(file: string): string[] {
  const source = readFileSync(join(ROOT, file), 'utf8');
  const { code } = transformSync(source, { loader: 'ts', target: 'esnext', legalComments: 'none' });
  const literals: string[] = [];
  const visit = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return;
    const { type, value } = node as { type?: string; value?: unknown };
    if (type === 'ImportDeclaration') return;
    if (type === 'Literal' && typeof value === 'string') literals.push(value);
    if (type === 'TemplateElement') literals.push((value as { cooked: string }).cooked);
    Object.values(node).forEach(visit);
  };
  visit(parseAst(code));
  return literals;
}
