/** What a definition is pinned by. */
import { digestOf, sha256 } from '../digest.ts';
import type { Definition } from '../types.ts';

/** Changes with anything a model or a person is told of the capability. */
export function fingerprint(server: string, definition: Definition): string {
  return safely({ server, name: definition.name, ...contentOf(definition) });
}

/** The same under any name and on any server. */
export function contentFingerprint(definition: Definition): string {
  return safely(contentOf(definition));
}

export function instructionsFingerprint(server: string, text: string): string {
  return safely({ server, kind: 'instructions', text });
}

function contentOf(definition: Definition): Omit<Definition, 'name'> {
  const { kind, title, description, inputSchema, outputSchema, annotations } = definition;
  const content = { kind, title, description, inputSchema, outputSchema, annotations };
  // Only prompts have arguments, and to them they are what a schema is to a tool; only resources have a label.
  const { label, mimeType, arguments: args } = definition;
  return { ...content, arguments: args, label, mimeType } as Omit<Definition, 'name'>;
}

/** What has no canonical form, such as half a character, is compared as it came. */
function safely(value: unknown): string {
  try {
    return digestOf(value);
  } catch {
    return sha256(`not canonical: ${JSON.stringify(value)}`);
  }
}

/** One of a kind and name. */
export function keyOf({ kind, name }: Pick<Definition, 'kind' | 'name'>): string {
  return `${kind}:${name}`;
}
