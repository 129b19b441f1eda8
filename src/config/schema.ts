/** The schema of the whole configuration, every key described; flags, environment and file all fill it. */
import * as z from 'zod';
import type { StoreKind } from '../stores/kind.ts';
import { type StoreKindName, type StoreKinds, storeKindNames, storeKinds } from '../stores/registry.ts';
import { checkPlane } from './control-plane-checks.ts';
import { planeSections } from './control-plane-schema.ts';
import { authSchema, gatewaySchema, serveSchema, yesOrNo } from './http-schema.ts';
import { toolSetProblem, toolSets } from './tool-sets.ts';

const scalar = z.union([z.string(), z.number(), z.boolean(), z.null()]);

/** Built lazily, for files that have rules. */
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

/** One optional key for each kind of store. */
const locations = Object.fromEntries(
  storeKindNames.map((name) => {
    const { settings, description }: StoreKind = storeKinds[name];
    return [name, settings.exactOptional().describe(description)];
  }),
  // The compiler does not follow the kinds through the mapping.
) as unknown as { [Name in StoreKindName]: z.ZodExactOptional<StoreKinds[Name]['settings']> };

const notebookSettings = z.strictObject({
  ...locations,
  ...storeKinds.postgres.beside,
  tools: z.enum(['notebook', 'vault', 'pages', 'trilium']).default('notebook').describe('Tool surface'),
  toolSets: toolSets
    .default([])
    .describe(
      'Tool sets offered beside `tools`, such as [history, links, tags], [] or all; quire tools lists them. Notebooks of a file and quire serve have history unless this says otherwise',
    ),
  extensions: z
    .array(z.string().min(1))
    .min(1, 'must name at least one extension, such as .md')
    .default(['.md', '.markdown', '.txt'])
    .describe('File extensions the notebook tools serve; the vault tools serve all, the page tools .md'),
  ignore: z.array(z.string().min(1)).default([]).describe('Globs of paths to hide'),
  readOnly: z.boolean().default(false).describe('Offer no tool that changes notes'),
  noDelete: z.boolean().default(false).describe('Offer no tool that deletes or replaces notes'),
  permanentDelete: z.boolean().default(false).describe('Delete for good instead of moving to .trash'),
  emptyTrash: z
    .boolean()
    .exactOptional()
    .describe('Offer empty_trash of the tool set trash, which deletes for good (default: false)'),
  overwrite: z
    .enum(['guarded', 'seen', 'free'])
    .default('guarded')
    .describe(
      'Whole notes may be replaced or deleted: guarded, unless they changed since the session read them; seen, only after the session read them; free, always',
    ),
  review: z
    .enum(['off', 'destructive', 'all'])
    .default('off')
    .describe(
      'Which changes become proposals that a person accepts or rejects: none; those that delete, replace or overwrite a note; all',
    ),
  readThreshold: z
    .number('must be a whole number')
    .int('must be a whole number')
    .min(1, 'must be at least 1')
    .default(200)
    .describe('Lines vault_read shows of a longer file when no range is asked for'),
  writable: z
    .array(z.string().min(1))
    .exactOptional()
    .describe('Folders and pages the page tools may change; all when left out'),
  extended: z
    .boolean('must be true or false; on the command line: --tools all or --tools pages')
    .default(false)
    .describe('Offer the further page tools: edits, tasks, links, attachments, trash'),
  openLinks: z
    .boolean()
    .default(false)
    .describe(
      'Answers that search or read notes have a `url` that opens the note, in Obsidian (folders) or SilverBullet; those of search_notes, read_note and read_multiple_notes link to it as a resource, too',
    ),
  frontmatterRules: z
    .array(frontmatterRule)
    .default([])
    .describe('Rules frontmatter must keep when it is written'),
});

/** Requires exactly one location of the notes. */
const notebook = notebookSettings.superRefine((settings, context) => {
  const say = (message: string) => context.addIssue({ code: 'custom', message });
  const given = storeKindNames.filter((name) => settings[name] !== undefined);
  const labels = storeKindNames.map((name) => storeKinds[name].label);
  if (given.length === 0) say(`needs ${labels.slice(0, -1).join(', ')}, or ${labels.at(-1)}`);
  if (given.length > 1) say(`has ${given.join(' and ')}: choose one`);
  if (settings.schema !== undefined && settings.postgres === undefined)
    context.addIssue({ code: 'custom', path: ['schema'], message: 'is of notebooks in postgres' });
  if (settings.tools === 'trilium' && settings.trilium === undefined) say('tools: trilium needs a trilium');
  if (settings.tools === 'trilium' && settings.review !== 'off')
    context.addIssue({
      code: 'custom',
      path: ['review'],
      message:
        'is not possible with tools: trilium; serve this Trilium with tools: notebook, or set review: off for it',
    });
  const message = toolSetProblem(settings.tools, settings.toolSets);
  if (message !== undefined) context.addIssue({ code: 'custom', path: ['toolSets'], message });
});

const state = z.lazy(() =>
  z
    .strictObject({
      dir: z
        .string()
        .min(1)
        .exactOptional()
        .describe('Folder for what must survive a restart; "memory" to keep nothing'),
      postgres: storeKinds.postgres.settings
        .exactOptional()
        .describe(
          'Address of a PostgreSQL database that several servers share; what it keeps is not kept in the folder',
        ),
      direct: storeKinds.postgres.settings
        .exactOptional()
        .describe('Address of the database itself, where postgres is that of a pooler in transaction mode'),
      connections: z
        .int()
        .min(2)
        .max(1_000)
        .exactOptional()
        .describe('The most connections to the database; 10 by default, and one that listens'),
    })
    .superRefine(({ postgres, direct, connections }, context) => {
      if (postgres === undefined && (direct !== undefined || connections !== undefined))
        context.addIssue({
          code: 'custom',
          path: ['postgres'],
          message: 'is missing: direct and connections go with it',
        });
    }),
);

/** Settings of the second brain. */
export const brainSchema = z.lazy(() =>
  z.strictObject(
    {
      enabled: yesOrNo.default(true).describe('Whether it is served'),
      alone: yesOrNo.default(false).describe('Serve its tools at /mcp and none of the notebooks'),
      embeddings: embeddings()
        .default('auto')
        .describe(
          'Find by meaning too: `auto` (as the notes themselves teach it), `off`, or `base_url`, `model` and `api_key` of an OpenAI-compatible server of embeddings. `packaged`, a model of earlier versions, is taken for `auto`',
        ),
      ingest: z
        .string('must be the name of a notebook')
        .min(1, 'must not be empty')
        .exactOptional()
        .describe('The notebook sb_ingest writes to; by default the first that may be changed'),
      toolSets: toolSets
        .superRefine((sets, context) => {
          const message = toolSetProblem('brain', sets, ['history']);
          if (message !== undefined) context.addIssue({ code: 'custom', message });
        })
        .default([])
        .describe('Tool sets offered beside it where it is served alone: [history], [] or all'),
    },
    'must be true, false, or settings',
  ),
);

export type BrainConfig = z.output<typeof brainSchema>;

function embeddings() {
  return z.union(
    [
      // There was a packaged model once: its name stands for `auto`, and is warned about.
      z.enum(['auto', 'off', 'packaged']),
      z.strictObject({
        base_url: z.string().min(1, 'must not be empty'),
        model: z.string().min(1, 'must not be empty'),
        api_key: z.string().default(''),
      }),
    ],
    'must be auto, off, or base_url and model of an OpenAI-compatible server',
  );
}

/** A boolean is short for `enabled`. */
export function brainFrom(given: unknown): unknown {
  return typeof given === 'boolean' ? { enabled: given } : given;
}

const SIZE_UNITS = { KB: 1e3, MB: 1e6, GB: 1e9 } as const;

/** `500MB`, or a number of bytes. */
const size = z.union([
  z.number().int().positive(),
  z
    .string()
    .regex(/^\d+(\.\d+)? ?(KB|MB|GB)$/i, 'a size such as 500MB')
    .transform((text) => {
      const unit = text.slice(-2).toUpperCase() as keyof typeof SIZE_UNITS;
      return Math.round(Number.parseFloat(text) * SIZE_UNITS[unit]);
    }),
]);

const history = z.lazy(() =>
  z.union(
    [
      z.enum(['off', 'git']),
      z.strictObject({
        days: z.number().positive().exactOptional().describe('How long changes can be undone (default: 90)'),
        maxSize: size
          .exactOptional()
          .describe('Most space it takes; the oldest changes go first (default: 500MB)'),
        git: z
          .boolean()
          .exactOptional()
          .describe(
            'Also keep the changes of folders that are git repositories as commits on refs/quire/history',
          ),
        required: z
          .boolean()
          .exactOptional()
          .describe('Refuse changes that cannot be recorded (default: true)'),
        undoOthers: z
          .boolean()
          .exactOptional()
          .describe(
            'Let an assistant undo changes that came through another login than its own (default: false)',
          ),
      }),
    ],
    'must be off, git, or settings: days, maxSize, git, required, undoOthers',
  ),
);

const sections = z.strictObject({
  notebooks: z
    .record(z.string().regex(/^[a-z][a-z0-9_-]*$/, 'a lower-case name'), notebook)
    .describe('The notebooks served, by name'),
  serve: serveSchema.exactOptional().describe('The server over HTTP'),
  auth: authSchema.exactOptional().describe('Who may call over HTTP'),
  state: state.exactOptional().describe('What the server remembers'),
  history: history
    .exactOptional()
    .describe('The record of all changes, by which they can be undone; or "off", or "git"'),
  review: z
    .enum(['off', 'destructive', 'all'])
    .exactOptional()
    .describe('The review of all notebooks that do not say otherwise'),
  console: z
    .enum(['on', 'off'])
    .exactOptional()
    .describe('The console of the server over HTTP, in a browser (default: on)'),
  brain: brainSchema.exactOptional().describe('The second brain over all notebooks'),
  gateway: gatewaySchema.exactOptional().describe('quire trilium: how clients reach it'),
  ...planeSections,
});

export const configSchema = sections.superRefine(checkPlane);

export type Config = z.infer<typeof configSchema> & {
  /** Folder of the configuration file. */
  readonly configFolder?: string;
  /** The configuration file. */
  readonly configFile?: string;
};
export type NotebookConfig = z.infer<typeof notebook>;
/** Settings of a notebook before defaults. */
export type NotebookSettings = z.input<typeof notebook>;
