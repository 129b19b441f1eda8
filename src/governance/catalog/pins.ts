/** The accepted definitions of each server, stored whole, so that a change can be shown as a diff. */
import * as z from 'zod';
import type { JsonFile } from '../../state/json-file.ts';
import type { Definition } from '../../upstream/definition.ts';
import { digestOf, sha256 } from '../digest.ts';
import { openServerFile, type PlaneFiles, type RecordsByServer } from '../server-file.ts';

export interface Pin {
  readonly fingerprint: string;
  readonly definition: Definition;
  readonly acceptedAt: number;
  /** `baseline` when no operator reviewed it: the configuration accepted what the server first offered. */
  readonly acceptedBy: string;
}

export interface ServerPins {
  readonly pins: Readonly<Record<string, Pin>>;
  readonly instructions?: Omit<Pin, 'definition'> & { readonly text: string };
}

export const BASELINE = 'baseline';
const MAX_BYTES = 32 * 1024 * 1024;

const accepted = { fingerprint: z.string(), acceptedAt: z.number(), acceptedBy: z.string() };
const definition = z.looseObject({
  kind: z.enum(['tool', 'resource', 'template', 'prompt']),
  name: z.string(),
});
const record = z.strictObject({
  pins: z.record(z.string(), z.strictObject({ ...accepted, definition })),
  instructions: z.strictObject({ ...accepted, text: z.string() }).optional(),
});

export function openPins(place: PlaneFiles): JsonFile<RecordsByServer<ServerPins>> {
  return openServerFile(place, 'pins.json', { record, maxBytes: MAX_BYTES });
}

export function pinOf(entry: { definition: Definition; fingerprint: string }, by: string, at: number): Pin {
  return { fingerprint: entry.fingerprint, definition: entry.definition, acceptedAt: at, acceptedBy: by };
}

/** Changes with every part of a definition that a model or a person reads. */
export function fingerprint(server: string, definition: Definition): string {
  return safely({ server, name: definition.name, ...contentOf(definition) });
}

/** Independent of the name and of the server. */
export function contentFingerprint(definition: Definition): string {
  return safely(contentOf(definition));
}

export function instructionsFingerprint(server: string, text: string): string {
  return safely({ server, kind: 'instructions', text });
}

function contentOf(definition: Definition): Omit<Definition, 'name'> {
  const { kind, title, description, inputSchema, outputSchema, annotations } = definition;
  // Only prompts have arguments, only resources a label.
  const { label, mimeType, arguments: args } = definition;
  const content = { kind, title, description, inputSchema, outputSchema, annotations };
  return { ...content, arguments: args, label, mimeType };
}

/** A value without a canonical form, such as a lone surrogate, is hashed as it came. */
function safely(value: unknown): string {
  try {
    return digestOf(value);
  } catch {
    return sha256(`not canonical: ${JSON.stringify(value)}`);
  }
}

/** Unique among the definitions of a server. */
export function keyOf({ kind, name }: Pick<Definition, 'kind' | 'name'>): string {
  return `${kind}:${name}`;
}
