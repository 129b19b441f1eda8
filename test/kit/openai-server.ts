/** A server on this machine that speaks as OpenAI's does, as well or as badly as a test wants. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

export interface AskedModel {
  readonly path: string;
  readonly authorization: string | undefined;
  readonly body: {
    readonly model: string;
    readonly messages: readonly { readonly role: string; readonly content: string }[];
    readonly max_tokens?: number;
    readonly max_completion_tokens?: number;
    readonly temperature?: number;
  };
}

/** Answers one request; each request gets the next behaviour of the list, and the last one repeats. */
export type Behaviour = (asked: AskedModel, response: ServerResponse) => void;

export interface OpenAiServer {
  readonly baseUrl: string;
  readonly asked: readonly AskedModel[];
}

export async function startOpenAi(...behaviours: readonly Behaviour[]): Promise<OpenAiServer> {
  const asked: AskedModel[] = [];
  const server = createServer(async (request, response) => {
    const behave = behaviours[Math.min(asked.length, behaviours.length - 1)] ?? says('');
    const question = await read(request);
    asked.push(question);
    behave(question, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(
    () =>
      new Promise<void>((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  );
  return { baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, asked };
}

async function read(request: IncomingMessage): Promise<AskedModel> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return {
    path: request.url ?? '',
    authorization: request.headers.authorization,
    body: JSON.parse(Buffer.concat(chunks).toString()) as AskedModel['body'],
  };
}

function sendJson(response: ServerResponse, status: number, body: unknown, headers = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
}

export function says(text: unknown, more: { finish?: string; model?: string } = {}): Behaviour {
  return ({ body }, response) =>
    sendJson(response, 200, {
      id: 'chatcmpl-1',
      object: 'chat.completion',
      model: more.model ?? body.model,
      choices: [
        { index: 0, message: { role: 'assistant', content: text }, finish_reason: more.finish ?? 'stop' },
      ],
      usage: { prompt_tokens: 11, completion_tokens: 7, total_tokens: 18 },
    });
}

/** Repeats the key and the prompt in its error, as some do. */
export function refuses(status: number, code = 'some_code', headers: Record<string, string> = {}): Behaviour {
  return ({ authorization, body }, response) =>
    sendJson(
      response,
      status,
      { error: { message: `no: ${authorization} ${JSON.stringify(body.messages)}`, code } },
      headers,
    );
}

export const answers =
  (body: unknown): Behaviour =>
  (_, response) =>
    sendJson(response, 200, body);

export const saysRaw =
  (text: string): Behaviour =>
  (_, response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).end(text);
  };

/** Begins to answer and hangs up. */
export const breaksOff: Behaviour = (_, response) => {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' });
  response.write('{"choices":[{"message":{"content":"The data', () => response.destroy());
};

export const neverAnswers: Behaviour = () => {};

export function isHuge(bytes: number): Behaviour {
  return says('x'.repeat(bytes));
}

export function redirectsTo(address: string): Behaviour {
  return (_, response) => response.writeHead(307, { location: address }).end();
}
