/** Settings of the second brain. */
import * as z from 'zod';
import { yesOrNo } from './http-schema.ts';

/** Built lazily, for files that have the section. */
export const brainSchema = z.lazy(() =>
  z.strictObject(
    {
      enabled: yesOrNo.default(true).describe('Whether it is served'),
      alone: yesOrNo.default(false).describe('Serve its tools at /mcp and none of the notebooks'),
      embeddings: embeddings()
        .default('auto')
        .describe(
          'Find by meaning too: `packaged` (a small English model on this machine), `auto` (the same where it is installed and notes are not too many), `off`, or `base_url`, `model` and `api_key` of an OpenAI-compatible server',
        ),
      ingest: z
        .string('must be the name of a notebook')
        .min(1, 'must not be empty')
        .exactOptional()
        .describe('The notebook sb_ingest writes to; by default the first that may be changed'),
    },
    'must be true, false, or settings',
  ),
);

export type BrainConfig = z.output<typeof brainSchema>;

function embeddings() {
  return z.union(
    [
      z.enum(['auto', 'off', 'packaged']),
      z.strictObject({
        base_url: z.string().min(1, 'must not be empty'),
        model: z.string().min(1, 'must not be empty'),
        api_key: z.string().default(''),
      }),
    ],
    'must be auto, off, packaged, or base_url and model of an OpenAI-compatible server',
  );
}

/** A boolean is short for `enabled`. */
export function brainFrom(given: unknown): unknown {
  return typeof given === 'boolean' ? { enabled: given } : given;
}
