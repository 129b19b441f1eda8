/** What the SDK has to say about a message, without the message, which it likes to repeat: notes may be in there. */
const LONGEST = 200;

export function protocolProblem({ name, message }: Error): string {
  return message.replace(/:?\s*[[{"][\s\S]*$/, '').slice(0, LONGEST) || name;
}
