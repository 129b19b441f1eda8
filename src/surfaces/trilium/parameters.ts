/** Parameters that several Trilium tools share. Unknown parameters are ignored, as by the documented server. */
import * as z from 'zod';
import { isAppError } from '../../shared/errors.ts';
import { type IdKind, isId } from '../../stores/trilium/wire/entities.ts';

const LONGEST = 64 * 1024 * 1024;

function described<Schema extends z.ZodType>(schema: Schema, meaning: string | undefined): Schema {
  return meaning === undefined ? schema : schema.describe(meaning);
}

/** Ids become part of request paths, so invalid ones are refused here. */
export const id = (meaning?: string, kind: IdKind = 'note') => {
  const schema = z
    .string()
    .min(1)
    .refine((given) => given === '' || isId(given, kind), 'An id holds letters, digits and underscores only');
  return described(schema, meaning);
};

/** For ids of notes to be created. */
export const newId = (meaning: string) =>
  z
    .string()
    .regex(/^[a-zA-Z0-9]{4,32}$/)
    .describe(meaning);

export const text = (meaning?: string) => described(z.string().max(LONGEST), meaning);

export const shortText = (meaning?: string) => described(z.string().min(1).max(2_000), meaning);

/** A required name: Trilium refuses an empty one. */
export const name = (meaning?: string) =>
  described(
    shortText().refine((given) => given.trim() !== '', 'It must not be blank'),
    meaning,
  );

export const format = (meaning: string) => z.enum(['html', 'markdown']).default('html').describe(meaning);

export const position = () => z.int().min(1).max(2_147_483_647);

export const limit = (usual: number, most: number) => z.int().min(1).max(most).default(usual);

export const offset = () => z.int().min(0).default(0).describe('nextOffset, to go on');

export const contentStart = () => z.int().min(0).default(0).describe('Character to begin at');

export const embeds = (placeholder: string, data?: string) =>
  z
    .array(
      z.object({
        data: text(data),
        mime: name(),
        filename: name(),
      }),
    )
    .max(100)
    .optional()
    .describe(placeholder);

export const changes = () =>
  z
    .array(z.object({ old_string: text(), new_string: text() }))
    .min(1)
    .max(500)
    .optional()
    .describe('edit: exact replacements in order; old_string must occur once, an empty one prepends');

export const patch = () => text('edit: unified diff, instead of changes').optional();

export const expectedBlobId = () => shortText('blobId you read; refused if stale').optional();

/** Reports an error thrown by `work` as an issue of that field. */
export function checkField(context: z.RefinementCtx, path: readonly string[], work: () => unknown): void {
  try {
    work();
  } catch (error) {
    if (!isAppError(error)) throw error;
    context.addIssue({ code: 'custom', path: [...path], message: `${error.message}. ${error.hint}` });
  }
}

/** Requires the parameters that each action needs. */
export function requiredBy<Action extends string>(needed: Readonly<Record<Action, readonly string[]>>) {
  return (input: { readonly action: Action }, context: z.RefinementCtx): void => {
    const given = input as Readonly<Record<string, unknown>>;
    for (const name of needed[input.action])
      if (given[name] === undefined || (Array.isArray(given[name]) && given[name].length === 0))
        context.addIssue({ code: 'custom', path: [name], message: `Required for action "${input.action}"` });
  };
}

/** Requires exactly one of two ids. */
export function exactlyOne<A extends string, B extends string>(
  [first, second]: readonly [A, B],
  input: Partial<Record<A | B, unknown>>,
  context: z.RefinementCtx,
): void {
  if ((input[first] === undefined) !== (input[second] === undefined)) return;
  context.addIssue({ code: 'custom', message: `Give exactly one of ${first} and ${second}` });
}

/** Note types that Trilium accepts. */
export const NOTE_TYPES = [
  'text',
  'code',
  'render',
  'file',
  'image',
  'search',
  'relationMap',
  'book',
  'noteMap',
  'mermaid',
  'canvas',
  'mindMap',
  'webView',
  'doc',
  'contentWidget',
  'launcher',
  'spreadsheet',
  'llmChat',
] as const;
