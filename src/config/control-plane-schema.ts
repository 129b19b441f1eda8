/** The schema of the governed plane's sections, with the keys as they are in the file. */
import * as z from 'zod';
import { hostPortText, readHostPort } from '../shared/host-list.ts';
import { parsePublicKey } from '../shared/public-keys.ts';
import { oneOf, yesOrNo } from './http-schema.ts';
import { hasBrokenReference, hasReference } from './plane-file.ts';

type Camel<Key extends string> = Key extends `mcp_${infer Rest}`
  ? Camel<Rest>
  : Key extends `${infer Head}_${infer Tail}`
    ? `${Head}${Capitalize<Camel<Tail>>}`
    : Key;
type InCamelCase<Section> = { [Key in keyof Section as Camel<Key & string>]: Section[Key] };

/** `mcp_approval_ttl_s` is `approvalTtlS` in the code: in this section everything is about MCP. */
function inCamelCase<Section extends object>(section: Section): InCamelCase<Section> {
  const renamed = Object.entries(section).map(([key, value]) => [
    key.replace(/^mcp_/, '').replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()),
    value,
  ]);
  return Object.fromEntries(renamed) as InCamelCase<Section>;
}

const text = z
  .string('must be text')
  .min(1, 'must not be empty')
  .refine(
    (value) => !hasReference(value),
    `\${env:NAME} may only stand in env, headers, oauth.client_secret and llm.api_key`,
  );
const whole = (least: number, most: number) =>
  z
    .number(`must be a whole number, ${least} to ${most}`)
    .int('must be a whole number')
    .min(least, `must be at least ${least}`)
    .max(most, `must be at most ${most}`);
const glob = text.max(200, 'must have 200 characters or fewer');
const globs = z.array(glob, 'must be a list of globs');
/** May hold a reference to a variable. */
const secretText = z
  .string('must be text; put it in quotes')
  .max(8_192, 'must have 8,192 characters or fewer')
  .refine((value) => !/[\0\r\n]/.test(value), 'must be one line')
  .refine((value) => !hasBrokenReference(value), `a variable is written \${env:NAME}`);
const publicKey = text.refine(
  (value) => parsePublicKey(value) !== undefined,
  'is neither ed25519:<base64 of 32 bytes> nor the line of a minisign public key',
);
const someGlobs = globs.min(1, 'is empty, so the rule can match nothing');

const ACTION_CLASSES = ['read_only', 'local_write', 'external', 'destructive'] as const;
const actionClass = z.enum(ACTION_CLASSES, {
  error: ({ input }) => `there is no class ${JSON.stringify(input)}; there are ${ACTION_CLASSES.join(', ')}`,
});

const policyRule = z.lazy(() =>
  z
    .strictObject({
      effect: oneOf('allow', 'ask', 'deny'),
      servers: someGlobs.exactOptional(),
      capabilities: someGlobs.exactOptional(),
      classes: z
        .array(actionClass, 'must be a list of classes')
        .min(1, 'is empty, so the rule can match nothing')
        .exactOptional(),
      reason: text.max(300).exactOptional(),
    })
    .transform(inCamelCase),
);

const serverName = z
  .string('must be text')
  .refine((name) => !name.includes('__'), 'must not hold "__", which stands between server and tool')
  .regex(
    /^[a-z0-9][a-z0-9-]{0,39}$/,
    'must be 1 to 40 of a-z, 0-9 and "-", and begin with a letter or a digit',
  );

/** A day that exists. */
const day = z
  .string('must be a day, such as 2026-12-31')
  .refine(
    (value) => /^\d{4}-\d{2}-\d{2}$/.test(value) && new Date(value).toJSON()?.slice(0, 10) === value,
    'must be a day, such as 2026-12-31',
  );

/** In one spelling, with its port. */
const hostPort = text.transform((value, context) => {
  const place = readHostPort(value);
  if (typeof place !== 'string') return hostPortText(place);
  context.addIssue({ code: 'custom', message: place });
  return z.NEVER;
});

/** How much of this machine a server in a sandbox may use. */
const bounds = {
  memory_mb: whole(64, 1_048_576),
  processes: whole(8, 100_000),
  cpu_s: whole(1, 10_000_000),
  tmp_mb: whole(1, 1_048_576),
  open_files: whole(16, 1_000_000),
};
const section = <Shape extends z.core.$ZodLooseShape>(shape: Shape) =>
  z.strictObject(shape).transform(inCamelCase);

const oauthSchema = z.lazy(() =>
  z
    .strictObject({
      grant: oneOf('authorization_code', 'client_credentials').default('authorization_code'),
      client_id: text.exactOptional(),
      client_secret: secretText.exactOptional(),
      issuer: text.exactOptional(),
      scopes: z.array(text.regex(/^\S+$/, 'must be one word each')).default([]),
      redirect_port: whole(1_024, 65_535).exactOptional(),
    })
    .transform(inCamelCase),
);

const upstreamServerSchema = z.lazy(() =>
  z
    .strictObject({
      name: serverName.describe('What it is called here; its tools are `<name>__<tool>`'),
      transport: oneOf('stdio', 'streamable_http').describe('How it is reached'),
      command: z.unknown().optional().describe('stdio: the executable, one word; judged before every launch'),
      args: z.unknown().optional().describe('stdio: its arguments, a list of texts'),
      env: z
        .record(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'is not the name of a variable'), secretText)
        .default({})
        .describe(`stdio: further variables it gets; \`\${env:NAME}\` for a secret`),
      stdio_allowed_commands: z.array(text).default([]).describe('stdio: commands reviewed for this server'),
      manifest_digest: text.exactOptional().describe('stdio: `sha256:` and 64 hex digits'),
      manifest_signature: z
        .string('must be text')
        .max(4_096)
        .exactOptional()
        .describe('stdio: `<key id>:<base64>`, or a minisign signature'),
      sandbox_profile: text
        .exactOptional()
        .describe('stdio: restricted, readonly or network; none only with sandbox_waiver'),
      sandbox_cwd: text.exactOptional().describe('stdio: the folder it runs in'),
      sandbox_read: z.array(text).default([]).describe('stdio: what else it may read'),
      sandbox_write: z
        .array(text)
        .default([])
        .describe('stdio: what else it may read and write; only read with the profile readonly'),
      sandbox_network: z
        .array(hostPort, 'must be a list of hosts and ports, such as [api.github.com:443]')
        .max(64, 'must have 64 hosts or fewer')
        .exactOptional()
        .describe(
          'stdio: the hosts and ports it may reach, and no others: `api.github.com:443`, `*.example.com:443`, `192.168.1.20:8443`; 443 where there is no port',
        ),
      sandbox_limits: z
        .strictObject({
          memory_mb: bounds.memory_mb.exactOptional(),
          processes: bounds.processes.exactOptional(),
          cpu_s: bounds.cpu_s.exactOptional(),
          tmp_mb: bounds.tmp_mb.exactOptional(),
          open_files: bounds.open_files.exactOptional(),
        })
        .transform(inCamelCase)
        .exactOptional()
        .describe(
          'stdio: other limits than those of mcp_limits: memory_mb, processes, cpu_s, tmp_mb, open_files',
        ),
      sandbox_waiver: z
        .strictObject({
          by: text.max(100, 'must have 100 characters or fewer'),
          why: text.max(300, 'must have 300 characters or fewer'),
          until: day,
        })
        .exactOptional()
        .describe(
          'stdio: for `sandbox_profile: none`, who lets it run without a sandbox: by, why, until (a day, 2026-12-31)',
        ),
      url: text.exactOptional().describe('streamable_http: its address; https, or http on this machine'),
      headers: z
        .record(z.string().regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/, 'is no name of a header'), secretText)
        .default({})
        .describe(`streamable_http: headers sent along; \`\${env:NAME}\` for a secret`),
      allow_private: yesOrNo
        .default(false)
        .describe('streamable_http: the address may be in a private network'),
      oauth: oauthSchema
        .exactOptional()
        .describe(
          'streamable_http: for `quire mcp login`, all of it optional: grant (authorization_code or client_credentials), client_id, client_secret, issuer, scopes, redirect_port',
        ),
      client_consent: oneOf('approved', 'pending', 'denied')
        .default('pending')
        .describe('Whether you agreed that it is used'),
      trust: oneOf('untrusted', 'reviewed', 'trusted', 'blocked')
        .default('untrusted')
        .describe('How far it is believed'),
      enabled: yesOrNo.default(true).describe('Whether it is used at all'),
      allow_tools: globs
        .default(['*'])
        .describe('Globs of the tools, prompts and resource URIs that may be used'),
      deny_tools: globs.default([]).describe('Globs of those that may not, whatever else is said'),
      action_classes: z
        .record(glob, actionClass)
        .default({})
        .describe('What a tool really does, by its name, whatever it says of itself'),
      first_definitions: oneOf('review', 'accept')
        .default('review')
        .describe(
          'review: what it offers when it is first listed waits for a review; accept: of a reviewed or trusted server it is accepted unseen, unless something was found',
        ),
      results: section({ on_finding: oneOf('pass', 'fence', 'ask', 'block').default('fence') })
        .prefault({})
        .describe(
          'on_finding: what happens to a result that may mislead a model: pass it on, fence it as untrusted data, ask a person first, or block it',
        ),
      allow: z
        .strictObject({
          roots: yesOrNo.default(true),
          sampling: yesOrNo.default(false),
          elicitation: yesOrNo.default(true),
        })
        .prefault({})
        .describe('What it may ask of us: roots, sampling, elicitation'),
      expose: yesOrNo
        .default(false)
        .describe('Whether its tools, prompts and resources are offered at our own `/mcp`'),
      expose_as: oneOf('prefixed', 'plain')
        .default('prefixed')
        .describe(
          'There its tools and prompts are `<name>__<tool>` (prefixed), or as the server calls them (plain)',
        ),
      ask_client: z
        .array(oneOf('elicitation', 'sampling', 'roots'), 'must be a list')
        .default([])
        .describe('What it asks goes to the client that called it there: elicitation, sampling, roots'),
    })
    .transform(inCamelCase),
);

export const controlPlaneSchema = z.lazy(() =>
  z
    .strictObject({
      mcp_permission_mode: oneOf('read-only', 'ask', 'auto')
        .default('ask')
        .describe('What happens where no rule says anything'),
      mcp_stdio_allowed_commands: z
        .array(text)
        .default([])
        .describe(
          'Commands reviewed for every stdio server; a command must be here or in the list of its server',
        ),
      mcp_manifest_keys: z
        .record(z.string().regex(/^[A-Za-z0-9._-]{1,64}$/, 'is no id of a key'), publicKey)
        .default({})
        .describe(
          'Who may sign manifests: key id to `ed25519:<base64>` or the line of a minisign public key',
        ),
      mcp_sandbox: section({
        backend: oneOf('auto', 'bwrap', 'srt', 'process').default('auto'),
        policy: oneOf('warn', 'enforce').default('enforce'),
      })
        .prefault({})
        .describe(
          'backend: auto, bwrap, srt or process; policy: enforce, or warn, which starts servers without a sandbox where there is none',
        ),
      mcp_limits: section({
        request_timeout_ms: whole(100, 3_600_000).default(30_000),
        connect_timeout_ms: whole(100, 600_000).default(10_000),
        max_result_bytes: whole(1_024, 104_857_600).default(1_048_576),
        calls_per_minute: whole(1, 100_000).default(60),
        max_concurrent: whole(1, 1_000).default(4),
        memory_mb: bounds.memory_mb.default(2_048),
        processes: bounds.processes.default(256),
        cpu_s: bounds.cpu_s.default(3_600),
        tmp_mb: bounds.tmp_mb.default(256),
        open_files: bounds.open_files.default(1_024),
      })
        .prefault({})
        .describe(
          'request_timeout_ms 30000, connect_timeout_ms 10000, max_result_bytes 1048576, calls_per_minute 60, max_concurrent 4; of a server in a sandbox memory_mb 2048, processes 256, cpu_s 3600, tmp_mb 256, open_files 1024',
        ),
      mcp_approval_ttl_s: whole(10, 86_400).default(900).describe('How long an approval waits and lives'),
      mcp_approval_keys: z
        .record(
          z.string().regex(/^[A-Za-z0-9._-]{1,64}$/, 'is no name of a key'),
          z.string('must be text').regex(/^sha256:[0-9a-f]{64}$/, 'must be sha256: and 64 hex digits'),
        )
        .default({})
        .describe(
          'Programs that may approve: name to `sha256:<64 hex>` of a key, which they give as QUIRE_APPROVAL_KEY or with --key-file',
        ),
      mcp_audit: section({
        key_file: text.exactOptional(),
        anchor: z
          .union(
            [text, z.array(text).min(1, 'must name a program')],
            'must be a file, or a program as a list',
          )
          .exactOptional(),
      })
        .prefault({})
        .describe(
          'key_file: the key that seals the end of the audit log (default `~/.config/quire/audit.key`; `none`: no seal); anchor: a file, or a program as a list, that gets the end after each record',
        ),
      mcp_exposure: section({
        min_score: whole(0, 100).default(50),
        max_tools: whole(0, 1_000).default(40),
        min_trust: oneOf('untrusted', 'reviewed', 'trusted').default('reviewed'),
      })
        .prefault({})
        .describe('min_score 50, max_tools 40, min_trust reviewed'),
      mcp_tools: section({ mode: oneOf('list', 'search').default('list') })
        .prefault({})
        .describe(
          'mode: list (every tool is listed) or search (`find_tools` and `call_tool` are, and max_tools does not count)',
        ),
      mcp_sampling: section({
        enabled: yesOrNo.default(false),
        max_tokens: whole(1, 100_000).default(1_024),
        per_hour: whole(0, 10_000).default(20),
      })
        .prefault({})
        .describe('enabled false, max_tokens 1024, per_hour 20'),
      mcp_elicitation: section({
        form: yesOrNo.default(true),
        url: yesOrNo.default(true),
        wait_s: whole(1, 3_600).default(300),
      })
        .prefault({})
        .describe('form true, url true, wait_s 300'),
      mcp_marketplace: section({ source: text.default('builtin') })
        .prefault({})
        .describe('source: builtin, a file or an https address'),
      mcp_policy: z
        .array(policyRule)
        .max(1_000)
        .default([])
        .describe(
          'Rules: effect (allow, ask, deny), servers, capabilities, classes, reason; of all that match, the strictest counts',
        ),
      mcp_servers: z.array(upstreamServerSchema).max(200).exactOptional().describe('The servers, as below'),
    })
    .transform(inCamelCase),
);

export const llmSchema = z.lazy(() =>
  z
    .strictObject({
      base_url: z.string('must be text').default('').describe('An OpenAI-compatible address; empty for none'),
      model: z.string('must be text').default('').describe('The name of the model there'),
      api_key: secretText.default('').describe(`Its key, better as \`\${env:NAME}\``),
      use_client_sampling: yesOrNo.default(false).describe('Whether a connected client may be asked instead'),
      timeout_ms: whole(100, 600_000).default(60_000).describe('How long an answer may take'),
    })
    .transform(inCamelCase),
);

/** The sections of a file that are the plane's. In them `${env:NAME}` is kept until its value is needed. */
export const planeSections = {
  control_plane: controlPlaneSchema.exactOptional().describe('The governed plane: other MCP servers'),
  mcp_servers: z
    .lazy(() => z.array(upstreamServerSchema).max(200))
    .exactOptional()
    .describe('The servers of the plane, here instead of in control_plane'),
  allowed_file_roots: z
    .array(text)
    .exactOptional()
    .describe('Folders that governed servers may ask for (roots/list), and sb_ingest may take files from'),
  state_dir: text.exactOptional().describe('Where the plane keeps approvals, audit and pins'),
  llm: llmSchema
    .exactOptional()
    .describe('A model for answers of the second brain, and for what governed servers ask for'),
};

/** `command` and `args` are as they were written: src/governance/safety judges them. */
export type UpstreamServer = z.output<typeof upstreamServerSchema>;
export type ControlPlaneSection = z.output<typeof controlPlaneSchema>;
export type PolicyRule = ControlPlaneSection['policy'][number];
