/** The schema of the whole configuration, every key described; flags, environment and file all fill it. */
import * as z from 'zod';
import { httpUrl, type StoreKind } from '../stores/kind.ts';
import { type StoreKindName, type StoreKinds, storeKindNames, storeKinds } from '../stores/registry.ts';
import { brainSchema } from './brain-schema.ts';
import { checkPlane } from './control-plane-checks.ts';
import { planeSections } from './control-plane-schema.ts';
import { gatewaySchema } from './gateway-schema.ts';

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
  tools: z.enum(['notebook', 'vault', 'pages', 'trilium']).default('notebook').describe('Tool surface'),
  extensions: z
    .array(z.string().min(1))
    .default(['.md', '.markdown', '.txt'])
    .describe('File extensions the notebook tools serve; the vault tools serve all, the page tools .md'),
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
  writable: z
    .array(z.string().min(1))
    .exactOptional()
    .describe('Folders and pages the page tools may change; all when left out'),
  extended: z
    .boolean('must be true or false; on the command line: --tools all or --tools pages')
    .default(false)
    .describe('Offer the further page tools: edits, tasks, links, attachments, trash'),
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
  if (settings.tools === 'trilium' && settings.trilium === undefined) say('tools: trilium needs a trilium');
});

/** Built lazily, for servers over HTTP. */
export const serveSchema = z.lazy(() =>
  z.strictObject({
    host: z.string().min(1).default('127.0.0.1').describe('Address to listen on'),
    port: z.number().int().min(0).max(65_535).default(8090).describe('Port to listen on'),
    publicUrl: httpUrl.exactOptional().describe('Address clients reach this server at; the OAuth resource'),
    protocol: z
      .enum(['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28'])
      .exactOptional()
      .describe('Speak this protocol version only'),
    strict: z
      .boolean()
      .default(false)
      .describe(
        'Speak 2025-11-25 only, to the letter: no other version, one stream, cancelled calls answered',
      ),
    legacySse: z.boolean().default(false).describe('Also serve the old /sse and /message'),
    allowedHosts: z.array(z.string()).default([]).describe('Further Host values that are answered'),
    allowedOrigins: z.array(z.string()).default([]).describe('Web origins that may call; * for all'),
    trustedProxies: z
      .array(z.string())
      .default([])
      .describe('Addresses or networks of proxies that are believed where a request comes from'),
    forwardedHeader: z
      .enum(['x-forwarded-for', 'forwarded'])
      .default('x-forwarded-for')
      .describe('Which header they say it in; the other one, which anybody can send, is not read'),
    bodyLimitMb: z.number().min(0.01).max(160).default(8).describe('Largest request body'),
    headerTimeoutSeconds: z
      .number()
      .min(0.1)
      .default(15)
      .describe('Within which the headers of a request must have arrived'),
    bodyTimeoutSeconds: z.number().min(0.1).default(60).describe('And then its body'),
    sessions: z.number().int().min(1).default(2_000).describe('Most sessions at a time'),
    sessionIdleMinutes: z.number().min(0.01).default(30).describe('An unused session ends after this'),
    requestsPerMinute: z.number().int().min(0).default(600).describe('Per address; 0 for no limit'),
    callsPerMinute: z.number().int().min(0).default(1_200).describe('Per caller; 0 for no limit'),
    metrics: z
      .enum(['off', 'open', 'token', 'same'])
      .default('off')
      .describe('/metrics: off, open to all, with a token of its own, or with the same credentials as /mcp'),
    metricsToken: z.string().min(16).exactOptional().describe('Token for metrics: token'),
  }),
);

export const authSchema = z.lazy(() =>
  z.strictObject({
    mode: z.enum(['none', 'bearer', 'jwt', 'oauth']).default('none').describe('Who may call'),
    tokens: z
      .array(z.string().min(16))
      .default([])
      .describe('bearer: the tokens that open it; oauth: tokens that open it without a login'),
    users: z
      .record(z.string().min(1), z.string().min(1))
      .default({})
      .describe('oauth: who may log in, and the bcrypt hash of the password (quire hash-password)'),
    ownerToken: z
      .string()
      .min(8)
      .exactOptional()
      .describe('oauth: instead of users, the one password that approves a client'),
    clients: z
      .array(
        z.strictObject({
          id: z.string().min(1),
          secret: z.string().min(16),
          name: z.string().min(1).exactOptional(),
          redirectUris: z.array(z.string()).exactOptional(),
          clientCredentials: z.boolean().exactOptional(),
        }),
      )
      .default([])
      .describe(
        'oauth: clients that are known beforehand, with id, secret, name, redirect addresses, and whether the secret alone is enough (clientCredentials)',
      ),
    clientId: z
      .string()
      .min(1)
      .exactOptional()
      .describe('oauth: a client known beforehand, with clientSecret'),
    clientSecret: z.string().min(16).exactOptional().describe('oauth: the secret of that client'),
    registration: z.boolean().default(true).describe('oauth: whether clients may register themselves'),
    signingKey: z
      .string()
      .min(32)
      .exactOptional()
      .describe('oauth: give out signed tokens, signed with this, instead of random ones'),
    signedTokens: z
      .boolean()
      .default(false)
      .describe(
        'oauth: give out signed tokens (JWT, EdDSA) with keys that are made here, published at /oauth/jwks and renewed every 30 days',
      ),
    accessHours: z
      .number()
      .min(1 / 3_600, 'must be a second (1/3600) or more')
      .default(24)
      .describe('oauth: how long a token is good for'),
    jwtSecret: z.string().min(32).exactOptional().describe('jwt: shared secret (HS256)'),
    jwtPublicKey: z.string().exactOptional().describe('jwt: public key in PEM form (RS256, ES256, EdDSA)'),
    jwtIssuer: z.string().exactOptional().describe('jwt: required issuer'),
    jwtAudience: z.string().exactOptional().describe('jwt: required audience'),
  }),
);

const state = z.lazy(() =>
  z.strictObject({
    dir: z
      .string()
      .min(1)
      .exactOptional()
      .describe('Folder for what must survive a restart; "memory" to keep nothing'),
  }),
);

const sections = z.strictObject({
  notebooks: z
    .record(z.string().regex(/^[a-z][a-z0-9_-]*$/, 'a lower-case name'), notebook)
    .describe('The notebooks served, by name'),
  serve: serveSchema.exactOptional().describe('The server over HTTP'),
  auth: authSchema.exactOptional().describe('Who may call over HTTP'),
  state: state.exactOptional().describe('What the server remembers'),
  brain: brainSchema.exactOptional().describe('The second brain over all notebooks'),
  gateway: gatewaySchema.exactOptional().describe('quire trilium: how clients reach it'),
  ...planeSections,
});

export const configSchema = sections.superRefine(checkPlane);

export type Config = z.infer<typeof configSchema> & {
  /** Folder of the configuration file. */
  readonly configFolder?: string;
};
export type NotebookConfig = z.infer<typeof notebook>;
export type ServeConfig = z.infer<typeof serveSchema>;
export type AuthConfig = z.infer<typeof authSchema>;
/** Settings of a notebook before defaults. */
export type NotebookSettings = z.input<typeof notebook>;
