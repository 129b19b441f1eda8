/** Lines for the operator, on stderr: stdout belongs to the protocol. */
export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

export type Log = (level: LogLevel, message: string, fields?: Readonly<Record<string, unknown>>) => void;

const ORDER: readonly LogLevel[] = ['debug', 'info', 'warn', 'error'];

export type LogFormat = 'json' | 'text';

export function createLog(lowest: LogLevel, write: (line: string) => void, format: LogFormat = 'json'): Log {
  const render = format === 'json' ? asJson : asText;
  return (level, message, fields = {}) => {
    if (ORDER.indexOf(level) < ORDER.indexOf(lowest)) return;
    write(`${render(new Date().toISOString(), level, message, fields)}\n`);
  };
}

/** One record per line whatever the values hold. */
function asJson(
  time: string,
  level: LogLevel,
  message: string,
  fields: Readonly<Record<string, unknown>>,
): string {
  return escaped(JSON.stringify({ time, level, message, ...fields }));
}

/** For people: values stand as JSON wherever they could be taken for something else. */
function asText(
  time: string,
  level: LogLevel,
  message: string,
  fields: Readonly<Record<string, unknown>>,
): string {
  const values = Object.entries(fields).map(([name, value]) => `${name}=${plainOrQuoted(value)}`);
  return [time, level.toUpperCase().padEnd(5), plainLine(message), ...values].join(' ');
}

function plainOrQuoted(value: unknown): string {
  const isPlain = typeof value === 'string' && /^[\w./:@-]+$/.test(value);
  return isPlain ? value : escaped(JSON.stringify(value) ?? 'undefined');
}

function plainLine(text: string): string {
  return escaped(JSON.stringify(text).slice(1, -1));
}

/** What JSON lets stand and a terminal obeys: further control characters, line separators, turns of direction. */
function escaped(json: string): string {
  return json.replace(
    /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

export const silentLog: Log = () => {};
