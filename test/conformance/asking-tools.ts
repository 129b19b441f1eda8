/**
 * Tools that ask the client something before they answer. Each is written once: it returns what it wants to
 * know and is called again with the answer. In the legacy era the SDK turns that into requests to the client.
 */
import { randomBytes } from 'node:crypto';
import {
  acceptedContent,
  createRequestStateCodec,
  type ElicitRequestFormParams,
  type InputRequest,
  type InputRequiredResult,
  inputRequired,
  inputResponse,
  type McpServer,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { z } from 'zod';
import { text } from './tools.ts';

interface State {
  readonly name?: string;
}

/** The state of a call between its rounds, signed: the client carries it, and could have changed it. */
export const requestState = createRequestStateCodec({
  key: randomBytes(32),
  bind: ({ mcpReq, http }: ServerContext) => `${mcpReq.method} ${http?.authInfo?.clientId ?? ''}`,
});

const NAME = z.object({ name: z.string() });
const COLOR = z.object({ color: z.string() });
const CONFIRMED = z.object({ ok: z.boolean() });
const PERSON = z.object({
  username: z.string().describe("User's response"),
  email: z.string().describe("User's email address"),
});

const DEFAULTS: ElicitRequestFormParams['requestedSchema'] = {
  type: 'object',
  properties: {
    name: { type: 'string', default: 'John Doe' },
    age: { type: 'integer', default: 30 },
    score: { type: 'number', default: 95.5 },
    status: { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' },
    verified: { type: 'boolean', default: true },
  },
};

const options = (kind: string) => [
  { const: 'value1', title: `First ${kind}` },
  { const: 'value2', title: `Second ${kind}` },
  { const: 'value3', title: `Third ${kind}` },
];

const ENUMS: ElicitRequestFormParams['requestedSchema'] = {
  type: 'object',
  properties: {
    untitledSingle: { type: 'string', enum: ['option1', 'option2', 'option3'] },
    titledSingle: { type: 'string', oneOf: options('Option') },
    legacyEnum: {
      type: 'string',
      enum: ['opt1', 'opt2', 'opt3'],
      enumNames: ['Option One', 'Option Two', 'Option Three'],
    },
    untitledMulti: { type: 'array', items: { type: 'string', enum: ['option1', 'option2', 'option3'] } },
    titledMulti: { type: 'array', items: { anyOf: options('Choice') } },
  },
};

function askModel(prompt: string, maxTokens = 100): InputRequest {
  const messages = [{ role: 'user' as const, content: { type: 'text' as const, text: prompt } }];
  return inputRequired.createMessage({ messages, maxTokens });
}

/** Asks until there is an answer of any kind, then tells what it was. */
function askOnce(ctx: ServerContext, key: string, request: InputRequest) {
  const heard = inputResponse(ctx.mcpReq.inputResponses, key);
  if (heard.kind === 'missing') return inputRequired({ inputRequests: { [key]: request } });
  return text(`Heard: ${JSON.stringify(heard)}`);
}

/** Asks, and has the client carry the state. */
async function askWithState(
  ctx: ServerContext,
  inputRequests: Record<string, InputRequest>,
  state: State = {},
): Promise<InputRequiredResult> {
  return inputRequired({ inputRequests, requestState: await requestState.mint(state, ctx) });
}

export function registerAskingTools(mcp: McpServer): void {
  registerPushTools(mcp);
  registerRoundTripTools(mcp);
  registerStatefulTools(mcp);
}

/** Tools that the suite calls in the legacy era. */
function registerPushTools(mcp: McpServer): void {
  mcp.registerTool(
    'test_sampling',
    { description: 'Asks the model of the client', inputSchema: z.object({ prompt: z.string() }) },
    ({ prompt }, ctx) => askOnce(ctx, 'answer', askModel(prompt)),
  );
  mcp.registerTool(
    'test_elicitation',
    { description: 'Asks the user who they are', inputSchema: z.object({ message: z.string() }) },
    ({ message }, ctx) => askOnce(ctx, 'person', inputRequired.elicit({ message, requestedSchema: PERSON })),
  );
  mcp.registerTool('test_elicitation_sep1034_defaults', { description: 'Asks with defaults' }, (ctx) =>
    askOnce(ctx, 'form', inputRequired.elicit({ message: 'Please check', requestedSchema: DEFAULTS })),
  );
  mcp.registerTool('test_elicitation_sep1330_enums', { description: 'Asks to choose' }, (ctx) =>
    askOnce(ctx, 'form', inputRequired.elicit({ message: 'Please choose', requestedSchema: ENUMS })),
  );
}

/** Tools that the suite calls in the modern era. */
function registerRoundTripTools(mcp: McpServer): void {
  mcp.registerTool('test_missing_capability', { description: 'Needs the model of the client' }, (ctx) =>
    askOnce(ctx, 'answer', askModel('Anything')),
  );
  mcp.registerTool('test_streaming_elicitation', { description: 'Asks for a confirmation' }, (ctx) =>
    askOnce(ctx, 'ok', inputRequired.elicit({ message: 'Go on?', requestedSchema: CONFIRMED })),
  );
  mcp.registerTool('test_input_required_result_elicitation', { description: 'Asks for a name' }, (ctx) => {
    const named = acceptedContent(ctx.mcpReq.inputResponses, 'user_name', NAME);
    if (named) return text(`Hello, ${named.name}!`);
    const user_name = inputRequired.elicit({ message: 'What is your name?', requestedSchema: NAME });
    return inputRequired({ inputRequests: { user_name } });
  });
  mcp.registerTool('test_input_required_result_sampling', { description: 'Asks the model' }, (ctx) =>
    askOnce(ctx, 'capital_question', askModel('What is the capital of France?')),
  );
  mcp.registerTool('test_input_required_result_list_roots', { description: 'Asks for roots' }, (ctx) =>
    askOnce(ctx, 'client_roots', inputRequired.listRoots()),
  );
  mcp.registerTool(
    'test_input_required_result_capabilities',
    { description: 'Asks what the client can answer' },
    () => {
      const can = mcp.server.getClientCapabilities();
      const inputRequests = {
        ...(can?.sampling && { answer: askModel('Anything') }),
        ...(can?.elicitation && {
          name: inputRequired.elicit({ message: 'What is your name?', requestedSchema: NAME }),
        }),
      };
      return Object.keys(inputRequests).length > 0
        ? inputRequired({ inputRequests })
        : text('There is nothing to ask this client');
    },
  );
}

function registerStatefulTools(mcp: McpServer): void {
  const confirm = () => inputRequired.elicit({ message: 'Please confirm', requestedSchema: CONFIRMED });
  for (const name of [
    'test_input_required_result_request_state',
    'test_input_required_result_tampered_state',
  ])
    mcp.registerTool(name, { description: 'Asks, and remembers that it did' }, async (ctx) => {
      const { inputResponses, requestState: state } = ctx.mcpReq;
      const confirmed = acceptedContent(inputResponses, 'confirm', CONFIRMED);
      return confirmed && state() ? text('state-ok') : askWithState(ctx, { confirm: confirm() });
    });

  mcp.registerTool(
    'test_input_required_result_multiple_inputs',
    { description: 'Asks three things at once' },
    async (ctx) => {
      const asked = {
        user_name: inputRequired.elicit({ message: 'What is your name?', requestedSchema: NAME }),
        greeting: askModel('Generate a greeting', 50),
        client_roots: inputRequired.listRoots(),
      };
      const { inputResponses } = ctx.mcpReq;
      const isAnswered = (key: string) => inputResponse(inputResponses, key).kind !== 'missing';
      if (!Object.keys(asked).every(isAnswered)) return askWithState(ctx, asked);
      return text(`Heard: ${JSON.stringify(inputResponses)}`);
    },
  );

  mcp.registerTool(
    'test_input_required_result_multi_round',
    { description: 'Asks one thing after another' },
    async (ctx) => {
      const { inputResponses, requestState: state } = ctx.mcpReq;
      const name = state<State>()?.name ?? acceptedContent(inputResponses, 'step1', NAME)?.name;
      if (name === undefined)
        return askWithState(ctx, {
          step1: inputRequired.elicit({ message: 'Step 1: What is your name?', requestedSchema: NAME }),
        });
      const color = acceptedContent(inputResponses, 'step2', COLOR)?.color;
      if (color !== undefined) return text(`${name} likes ${color}`);
      const message = 'Step 2: What is your favorite color?';
      return askWithState(
        ctx,
        { step2: inputRequired.elicit({ message, requestedSchema: COLOR }) },
        { name },
      );
    },
  );
}
