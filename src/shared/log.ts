/** Lines for the operator, on stderr: stdout belongs to the protocol. */
export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

export type Log = (level: LogLevel, message: string, fields?: Readonly<Record<string, unknown>>) => void;

const ORDER: readonly LogLevel[] = ['debug', 'info', 'warn', 'error'];

export function createLog(lowest: LogLevel, write: (line: string) => void): Log {
  return (level, message, fields) => {
    if (ORDER.indexOf(level) < ORDER.indexOf(lowest)) return;
    const time = new Date().toISOString();
    // One record per line whatever the values hold.
    write(`${JSON.stringify({ time, level, message, ...fields })}\n`);
  };
}

export const silentLog: Log = () => {};
