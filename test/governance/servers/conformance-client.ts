/** The client that the official suite tests: our upstream, which uses everything that the server of a scenario has. */
import type {
  OAuthClientMetadata,
  OAuthClientProvider,
  StoredOAuthClientInformation,
  StoredOAuthTokens,
} from '@modelcontextprotocol/client';
import type { Definition } from '../../../src/upstream/definition.ts';
import type { Login } from '../../../src/upstream/http.ts';
import { Upstream } from '../../../src/upstream/upstream.ts';

const CALLBACK = 'http://localhost:3000/callback';
/** The suite knows this document. */
const CLIENT_DOCUMENT = 'https://conformance-test.local/client-metadata.json';

interface Context {
  readonly client_id?: string;
  readonly client_secret?: string;
  readonly issuer?: string;
  readonly toolCalls?: readonly { readonly name: string; readonly arguments: Record<string, unknown> }[];
}

const url = process.argv.at(-1) ?? '';
const scenario = process.env.MCP_CONFORMANCE_SCENARIO ?? '';
const context: Context = JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT ?? '{}');
const isModern = process.env.MCP_CONFORMANCE_PROTOCOL_VERSION === '2026-07-28';

/** A login without a human: the suite's authorization server sends us on at once. */
function createLogin(): Login {
  const informations = new Map<string, StoredOAuthClientInformation>();
  const tokens = new Map<string, StoredOAuthTokens>();
  let verifier = '';
  let answer = new URLSearchParams();
  const metadata: OAuthClientMetadata = { client_name: 'quire', redirect_uris: [CALLBACK] };
  const { client_id, client_secret } = context;
  const known = client_id !== undefined && { client_id, ...(client_secret && { client_secret }) };
  const provider: OAuthClientProvider = {
    redirectUrl: CALLBACK,
    clientMetadata: metadata,
    clientMetadataUrl: CLIENT_DOCUMENT,
    clientInformation: (at) => known || informations.get(at?.issuer ?? ''),
    saveClientInformation: (information, at) => void informations.set(at?.issuer ?? '', information),
    tokens: (at) => (at?.issuer ? tokens.get(at.issuer) : [...tokens.values()].at(-1)),
    saveTokens: (saved, at) => {
      tokens.delete(at?.issuer ?? '');
      tokens.set(at?.issuer ?? '', saved);
    },
    saveCodeVerifier: (saved) => {
      verifier = saved;
    },
    codeVerifier: () => verifier,
    async redirectToAuthorization(page) {
      const response = await fetch(page, { redirect: 'manual' });
      answer = new URL(response.headers.get('location') ?? CALLBACK).searchParams;
    },
  };
  return { provider, callback: async () => answer };
}

interface Schema {
  readonly type?: string;
  readonly properties?: Record<string, Schema>;
  readonly enum?: readonly unknown[];
}

function sampleOf({ type, enum: choices, properties }: Schema): unknown {
  if (choices) return choices[0];
  switch (type) {
    case 'number':
    case 'integer':
      return 5;
    case 'boolean':
      return true;
    case 'array':
      return [];
    case 'object':
      return sampleArguments({ ...(properties && { properties }) });
    default:
      return 'sample';
  }
}

function sampleArguments({ properties = {} }: Schema): Record<string, unknown> {
  return Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, sampleOf(schema)]));
}

async function useTools(upstream: Upstream): Promise<void> {
  const tools = await upstream.list('tool');
  const sampled = tools.map((tool: Definition) => ({
    name: tool.name,
    arguments: sampleArguments((tool.inputSchema ?? {}) as Schema),
  }));
  // One scenario wants to see what has become of the schema of its first tool.
  for (const { arguments: args } of sampled) if ('schema' in args) args.schema = tools[0]?.inputSchema;
  const calls = context.toolCalls ?? sampled;
  const results = await Promise.allSettled(
    calls.map((call) => {
      // As the plane calls it.
      const inputSchema = tools.find(({ name }) => name === call.name)?.inputSchema;
      return upstream.call(call.name, call.arguments, { inputSchema });
    }),
  );
  const failed = results.find((result) => result.status === 'rejected');
  if (failed) throw failed.reason;
}

async function useTheRest(upstream: Upstream): Promise<void> {
  const [resource] = await upstream.list('resource');
  if (resource) await upstream.read(resource.name);
  const [prompt] = await upstream.list('prompt');
  if (prompt) await upstream.getPrompt(prompt.name, {});
}

const isLogin = scenario.startsWith('auth/');
const upstream = new Upstream({
  name: 'conformance',
  client: { name: 'quire-conformance', version: '1' },
  target: {
    transport: 'streamable_http',
    url,
    headers: {},
    allowPrivate: false,
    ...(isLogin && { login: createLogin() }),
  },
  era: isModern ? 'auto' : 'legacy',
  limits: { requestTimeoutMs: 60_000, connectTimeoutMs: 60_000, maxResultBytes: 1_000_000, maxConcurrent: 4 },
  nested: {
    waitMs: 10_000,
    elicitation: { form: true, url: true },
    operator: {
      isInteractive: true,
      // A field the operator leaves out has the default of the form.
      askForm: async () => ({ action: 'accept', content: {} }),
      confirmSecrets: async () => true,
      askUrl: async () => 'accept',
      askSampling: async () => false,
    },
  },
});
try {
  await upstream.connect();
  await useTools(upstream);
  if (!isLogin) await useTheRest(upstream);
  await upstream.close();
} catch (error) {
  process.stderr.write(`${String(error)} ${JSON.stringify(error)} ${String((error as Error).cause)}\n`);
  await upstream.close();
  process.exitCode = 1;
}
