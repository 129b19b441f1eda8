/** Whether two trees are the same, whatever the order of their attributes. */
import type { Node } from './elements.ts';

export function isSameTree(some: readonly Node[], others: readonly Node[]): boolean {
  if (some.length !== others.length) return false;
  for (let index = 0; index < some.length; index++)
    if (!isSameNode(some[index]!, others[index]!)) return false;
  return true;
}

function isSameNode(one: Node, other: Node): boolean {
  if (one === other) return true;
  if (typeof one === 'string' || typeof other === 'string') return false;
  return (
    one.name === other.name &&
    hasSameAttributes(one.attributes, other.attributes) &&
    isSameTree(one.children, other.children)
  );
}

function hasSameAttributes(some: ReadonlyMap<string, string>, others: ReadonlyMap<string, string>): boolean {
  if (some === others) return true;
  if (some.size !== others.size) return false;
  for (const [name, value] of some) if (others.get(name) !== value) return false;
  return true;
}
