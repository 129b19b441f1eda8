/** The operator's log, on stderr: stdout belongs to the protocol. */
export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

export type Log = (level: LogLevel, message: string, fields?: Readonly<Record<string, unknown>>) => void;

export type LogThreshold = LogLevel | 'silent';

const ORDER: readonly LogThreshold[] = ['debug', 'info', 'warn', 'error', 'silent'];

export type LogFormat = 'json' | 'text';

/**
 * `messages` are sentences under time, level and message. `events` have names, under ts, level and event, and hold no
 * more of an address than its host.
 */
export type LogShape = 'messages' | 'events';

interface LogStyle {
  readonly format?: LogFormat;
  readonly shape?: LogShape;
}

/** One record per line whatever the values hold. */
export function createLog(
  lowest: LogThreshold,
  write: (line: string) => void,
  { format = 'json', shape = 'messages' }: LogStyle = {},
): Log {
  const isEvent = shape === 'events';
  return (level, message, fields = {}) => {
    if (ORDER.indexOf(level) < ORDER.indexOf(lowest)) return;
    const time = new Date().toISOString();
    const said = isEvent ? nameOf(message) : message;
    const head = isEvent ? { ts: time, level, event: said } : { time, level, message: said };
    const line =
      format === 'json'
        ? escaped(JSON.stringify({ ...head, ...fields }))
        : [time, level.toUpperCase().padEnd(5), plainLine(said), ...plainFields(fields)].join(' ');
    write(`${isEvent ? hostsOnly(line) : line}\n`);
  };
}

/** For people: values stand as JSON wherever they could be taken for something else. */
function plainFields(fields: Readonly<Record<string, unknown>>): string[] {
  return Object.entries(fields).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${plainOrQuoted(value)}`],
  );
}

/** The message as one word, by which operators search. */
function nameOf(message: string): string {
  return message.trim().replace(/\s+/g, '_');
}

/** Addresses can hold credentials and private paths. */
function hostsOnly(line: string): string {
  return line.replace(/\bhttps?:\/\/(?:[^\s"\\/?#@]*@)?(\[[^\]\s"\\]*\]|[^\s"\\/?#:]+)[^\s"\\]*/gi, '$1');
}

function plainOrQuoted(value: unknown): string {
  const isPlain = typeof value === 'string' && /^[\w./:@-]+$/.test(value);
  return isPlain ? value : escaped(JSON.stringify(value) ?? 'undefined');
}

function plainLine(text: string): string {
  return escaped(JSON.stringify(text).slice(1, -1));
}

/** Also escapes what JSON does not and a terminal obeys: C1 controls, line separators, bidirectional marks. */
function escaped(json: string): string {
  return json.replace(
    /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

export const silentLog: Log = () => {};
