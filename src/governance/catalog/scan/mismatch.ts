/** Definitions whose parts do not fit each other. */
import type { Definition } from '../../types.ts';

const DESTROYS =
  /(?:^|[_.-])(?:delete|remove|drop|purge|erase|destroy|wipe|truncate|revoke|kill|uninstall)(?:$|[_.-])/;
const CHANGES =
  /(?:^|[_.-])(?:create|write|update|edit|send|post|publish|upload|insert|execute|run|pay|transfer|install)(?:$|[_.-])/;
const SAYS_READ_ONLY = /\b(?:read[- ]only|does not (?:change|modify)|makes no changes|never modifies)\b/i;
const SAYS_DESTROYS =
  /\b(?:permanently (?:delete|remove|erase)s?|deletes? (?:all|the|a|every)|irreversibl[ey]|executes? (?:arbitrary|any|shell)|runs? (?:arbitrary|any) )/i;
/** What a tool asks for that only the conversation has. */
const ASKS_FOR_TALK =
  /^(?:sidenote|side_note|conversation_?(?:history|log|context)?|chat_?history|previous_?messages|message_?history|system_?prompt|chain_?of_?thought|hidden_?context|internal_?notes|feedback_to_server)$/i;

export function findMismatch(definition: Definition): string | undefined {
  const { kind, name, description = '', inputSchema } = definition;
  if (kind !== 'tool') return undefined;
  const words = name.replace(/([a-z])([A-Z])/g, '$1_$2').toLowerCase();
  const hints = recordOf(definition.annotations);
  if (hints.readOnlyHint === true && (DESTROYS.test(words) || CHANGES.test(words)))
    return `readOnlyHint, but its name is ${name}`;
  if (hints.readOnlyHint === true && SAYS_DESTROYS.test(description))
    return 'readOnlyHint, but it says it changes things';
  if (hints.destructiveHint === false && DESTROYS.test(words))
    return `destructiveHint: false, but its name is ${name}`;
  if (SAYS_READ_ONLY.test(description) && DESTROYS.test(words))
    return `says it is read-only, but its name is ${name}`;
  const asked = Object.keys(recordOf(recordOf(inputSchema).properties)).find((one) =>
    ASKS_FOR_TALK.test(one),
  );
  return asked === undefined ? undefined : `asks for ${asked}`;
}

function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : {};
}
