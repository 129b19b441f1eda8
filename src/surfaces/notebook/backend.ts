/** Parameters and answer shapes that several notebook tools share. */
import * as z from 'zod';
import { type DefineTool, defineToolFor } from '../../mcp/tool.ts';
import type { Notebook } from '../../notes/store.ts';
import { path } from '../shared/parameters.ts';

const define = defineToolFor<Notebook>();

/** Indents the JSON of an answer when the tool's `prettyPrint` parameter is true. */
export const defineTool: DefineTool<Notebook> = (tool) =>
  define({
    ...tool,
    async run(input, call) {
      const output = await tool.run(input, call);
      const text = output.text ?? (input.prettyPrint ? JSON.stringify(output.value, null, 2) : undefined);
      return { ...output, text };
    },
  });

export const paths = () =>
  z
    .array(path())
    .min(1, 'must name at least one note')
    .max(10, 'at most 10 notes in one call; split the list')
    .describe('Up to 10 note paths');

export const prettyPrint = () => z.boolean().default(false).describe('Indent the JSON');

/**
 * Any JSON object; the frontmatter operations check its values. The documented message of an invalid one has neither the
 * tool nor the parameter in front.
 */
export const frontmatter = () =>
  (z.unknown() as z.ZodType<Record<string, unknown>>)
    .refine((value) => typeof value === 'object' && value !== null && !Array.isArray(value), {
      message: 'Invalid frontmatter: frontmatter must be an object such as {"status": "done"}',
      params: { isWholeMessage: true },
    })
    .meta({ type: 'object', additionalProperties: {} });

export const offset = (meaning: string) =>
  z.number().int('must be a whole number').min(0, 'must not be negative').default(0).describe(meaning);

export const operationResult = () =>
  z.object({ success: z.boolean(), path: z.string(), message: z.string() });

export const failures = () => z.array(z.object({ path: z.string(), error: z.string() }));
