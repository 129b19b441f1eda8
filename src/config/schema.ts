/** Everything that can be configured, with its description; flags, environment and file all fill this one shape. */
import * as z from 'zod';

const scalar = z.union([z.string(), z.number(), z.boolean(), z.null()]);

/** Only built when a file has rules. */
const frontmatterRule = z.lazy(() =>
  z.strictObject({
    paths: z.string().exactOptional().describe('Glob of the notes it is for; all when left out'),
    when: z
      .record(z.string(), scalar)
      .exactOptional()
      .describe('Only for notes whose frontmatter has these values'),
    required: z.array(z.string()).exactOptional().describe('Keys that must be there'),
    fields: z
      .record(
        z.string(),
        z.strictObject({
          type: z.enum(['string', 'number', 'boolean', 'date', 'list']).exactOptional(),
          enum: z.array(scalar).exactOptional(),
          pattern: z.string().exactOptional(),
          min: z.number().exactOptional(),
          max: z.number().exactOptional(),
        }),
      )
      .exactOptional()
      .describe('What values a key may have'),
    order: z
      .array(z.tuple([z.string(), z.string()]))
      .exactOptional()
      .describe('Pairs of keys; the first must not be after the second'),
  }),
);

const notebook = z.strictObject({
  folder: z
    .string()
    .min(1, 'must not be empty')
    .describe('Folder of notes; relative to the configuration file'),
  tools: z.enum(['notebook', 'vault']).default('notebook').describe('Tool surface'),
  extensions: z
    .array(z.string().min(1))
    .default(['.md', '.markdown', '.txt'])
    .describe('File extensions the notebook tools serve; the vault tools serve all'),
  ignore: z.array(z.string().min(1)).default([]).describe('Globs of paths to hide'),
  readOnly: z.boolean().default(false).describe('Offer no tool that changes notes'),
  noDelete: z.boolean().default(false).describe('Offer no tool that deletes or replaces notes'),
  permanentDelete: z.boolean().default(false).describe('Delete for good instead of moving to .trash'),
  readThreshold: z
    .number()
    .int('must be a whole number')
    .min(1, 'must be at least 1')
    .default(200)
    .describe('Lines vault_read shows of a longer file when no range is asked for'),
  frontmatterRules: z
    .array(frontmatterRule)
    .default([])
    .describe('Rules frontmatter must keep when it is written'),
});

export const configSchema = z.strictObject({
  notebooks: z
    .record(z.string().regex(/^[a-z][a-z0-9_-]*$/, 'a lower-case name'), notebook)
    .describe('The notebooks served, by name'),
});

export type Config = z.infer<typeof configSchema>;
export type NotebookConfig = z.infer<typeof notebook>;
/** One notebook's settings before defaults. */
export type NotebookSettings = z.input<typeof notebook>;
