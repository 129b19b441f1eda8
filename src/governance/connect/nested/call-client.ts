/**
 * The client whose call a server works on, as a server may ask it meanwhile. A person sits there: what is asked says
 * which server asks, and warns of what looks like a secret.
 */
import type {
  CreateMessageRequest,
  CreateMessageResult,
  ElicitRequest,
  ElicitRequestFormParams,
  ElicitResult,
} from '@modelcontextprotocol/client';
import { looksSecret } from './elicitation.ts';
import type { FormAnswer, Operator } from './operator.ts';

export interface CallClient {
  /** What it has said that it can do. */
  readonly can: Abilities;
  elicit(params: ElicitRequest['params'], signal: AbortSignal): Promise<ElicitResult>;
  sample(params: CreateMessageRequest['params'], signal: AbortSignal): Promise<CreateMessageResult>;
}

export interface Abilities {
  readonly form: boolean;
  readonly url: boolean;
  readonly sampling: boolean;
  readonly roots: boolean;
}

/** Who is asked by questions to an operator. Nothing is asked that the client cannot do. */
export function operatorAt(client: CallClient): Operator {
  return {
    isInteractive: true,
    async askForm({ server, message, schema }, signal): Promise<FormAnswer> {
      const requestedSchema = schema as ElicitRequestFormParams['requestedSchema'];
      const worded = formMessage(server, message, requestedSchema);
      const answer = await client.elicit({ mode: 'form', message: worded, requestedSchema }, signal);
      if (answer.action !== 'accept') return { action: answer.action };
      return { action: 'accept', content: answer.content ?? {} };
    },
    // They were warned of in the question.
    confirmSecrets: async () => true,
    async askUrl({ server, message, url }, signal) {
      const question = { mode: 'url' as const, message: urlMessage(server, message), url };
      return (await client.elicit({ ...question, elicitationId: crypto.randomUUID() }, signal)).action;
    },
    askSampling: async () => false,
    ...(client.can.form && {
      async whileWaiting({ server, urls }, signal) {
        const message = urlMessage(server, `go on, once you have been at ${urls.join(' ')}?`);
        const requestedSchema = { type: 'object' as const, properties: {} };
        const answer = await client.elicit({ mode: 'form', message, requestedSchema }, signal);
        return answer.action === 'accept' ? 'retry' : 'cancel';
      },
    }),
  };
}

export function formMessage(
  server: string,
  message: string,
  { properties }: ElicitRequestFormParams['requestedSchema'],
): string {
  const secrets = Object.entries(properties).flatMap(([name, property]) =>
    looksSecret(name, property) ? [name] : [],
  );
  const warning = secrets.length === 0 ? '' : ` (Careful: ${secrets.join(', ')} would be sent to ${server}.)`;
  return `${urlMessage(server, message)}${warning}`;
}

export function urlMessage(server: string, message: string): string {
  return `${server} asks: ${message}`;
}
