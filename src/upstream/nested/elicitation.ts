/** Elicitation: a server asks the operator to fill in a form or to visit a page. No value is sent unreviewed. */
import {
  type ElicitRequest,
  type ElicitRequestFormParams,
  type ElicitRequestURLParams,
  type ElicitResult,
  fromJsonSchema,
  type JsonSchemaType,
} from '@modelcontextprotocol/client';
import { isOnThisMachine } from '../guarded-fetch.ts';
import { looksSecret, type UrlQuestion } from './operator.ts';
import { invalid, type NestedRequest } from './request.ts';

export const MAX_SCHEMA_LENGTH = 65_536;
const MAX_URL_LENGTH = 8_192;

type Handler = (
  request: ElicitRequest,
  context: { readonly mcpReq: { readonly signal: AbortSignal } },
) => Promise<ElicitResult>;

export function createElicitation(asked: NestedRequest): Handler {
  return async ({ params }, { mcpReq }) => {
    const result =
      params.mode === 'url'
        ? await askUrl(asked, params, mcpReq.signal)
        : await askForm(asked, params, mcpReq.signal);
    asked.counts.elicitation[result.action]++;
    await asked.services.note?.({
      asked: 'elicitation',
      outcome: result.action,
      message: params.message,
      wanted: wantedBy(params),
    });
    return result;
  };
}

/** The fields or the page that the server asks for. */
function wantedBy(params: ElicitRequest['params']): readonly string[] {
  return params.mode === 'url' ? placeOf(params.url) : Object.keys(params.requestedSchema.properties);
}

/** A page without its query, which may hold secrets. */
export function placeOf(text: string): readonly string[] {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  return url ? [`${url.origin}${url.pathname}`] : [];
}

async function askForm(
  { server, services, during }: NestedRequest,
  { message, requestedSchema }: ElicitRequestFormParams,
  outer: AbortSignal,
): Promise<ElicitResult> {
  const { operator } = services;
  if (!operator.isInteractive) return { action: 'cancel' };
  if (JSON.stringify(requestedSchema).length > MAX_SCHEMA_LENGTH) throw invalid('The form is too large');
  const answer = await during(
    (signal) => operator.askForm({ server, message, schema: requestedSchema }, signal),
    outer,
  );
  if (answer.action !== 'accept') return { action: answer.action };
  const fields = Object.keys(answer.content).filter((name) =>
    looksSecret(name, requestedSchema.properties[name]),
  );
  if (
    fields.length > 0 &&
    !(await during((signal) => operator.confirmSecrets({ server, fields }, signal), outer))
  )
    return { action: 'decline' };
  await assertFits(requestedSchema, answer.content);
  return { action: 'accept', content: { ...answer.content } };
}

/** Validates the operator's answer again: an invalid value never reaches the server. */
async function assertFits(
  schema: ElicitRequestFormParams['requestedSchema'],
  content: Readonly<Record<string, unknown>>,
): Promise<void> {
  const unknown = Object.keys(content).find((name) => !Object.hasOwn(schema.properties, name));
  if (unknown !== undefined) throw invalid(`The form has no field ${unknown}`);
  const defaults = Object.entries(schema.properties).flatMap(([name, property]) =>
    property.default === undefined ? [] : [[name, property.default] as const],
  );
  const filled = { ...Object.fromEntries(defaults), ...content };
  // Two of the SDK's types for one schema, which differ in optional keys only.
  const result = await fromJsonSchema(schema as JsonSchemaType)['~standard'].validate(filled);
  if (result.issues)
    throw invalid(`The answer does not fit the form: ${result.issues[0]?.message ?? 'unknown'}`);
}

async function askUrl(
  { server, services, during }: NestedRequest,
  { message, url }: ElicitRequestURLParams,
  outer: AbortSignal,
): Promise<ElicitResult> {
  if (!services.operator.isInteractive) return { action: 'cancel' };
  const question = urlQuestion(server, message, url);
  if (!question) return { action: 'decline' };
  return { action: await during((signal) => services.operator.askUrl(question, signal), outer) };
}

/** Undefined unless the page is https, or http on this machine. */
export function urlQuestion(server: string, message: string, text: string): UrlQuestion | undefined {
  const url = text.length <= MAX_URL_LENGTH && URL.canParse(text) ? new URL(text) : undefined;
  if (url?.username !== '' || url.password !== '') return undefined;
  const isFine = url.protocol === 'https:' || (url.protocol === 'http:' && isOnThisMachine(url));
  return isFine ? { server, message, url: url.href, host: url.host } : undefined;
}
