/** What all parts of the authorization server share: its address, state and clock, and the log of security events. */
import type { Log, LogLevel } from '../shared/log.ts';
import type { StateStore } from '../state/memory.ts';

export interface OAuthContext {
  readonly issuer: string;
  readonly state: StateStore;
  readonly log: Log;
  readonly security: SecurityLog;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

const LEVELS = {
  'login succeeded': 'info',
  'login failed': 'warn',
  'login slowed': 'warn',
  'user added': 'info',
  'user disabled': 'info',
  'user enabled': 'info',
  'password changed': 'info',
  'role changed': 'info',
  'second factor added': 'info',
  'second factor removed': 'info',
  'second factor accepted': 'info',
  'second factor refused': 'warn',
  'recovery codes made': 'info',
  'client registered': 'info',
  'client registration refused': 'warn',
  'client authentication failed': 'warn',
  'client assertion replayed': 'warn',
  'form refused': 'warn',
  'access approved': 'info',
  'access denied': 'info',
  'access changed': 'info',
  'access revoked': 'info',
  'code replayed': 'warn',
  'token issued': 'info',
  'token refreshed': 'info',
  'refresh repeated': 'info',
  'refresh token reused': 'warn',
  'token revoked': 'info',
  'DPoP proof replayed': 'warn',
  'signing key made': 'info',
} as const satisfies Record<string, LogLevel>;

/**
 * Security events: logins, refusals and issued tokens. Secrets are never fields. Values from requests are bounded
 * and cannot start a log line of their own.
 */
export type SecurityLog = (event: keyof typeof LEVELS, fields?: Readonly<Record<string, unknown>>) => void;

const MAX_LENGTH = 200;

export function createSecurityLog(log: Log): SecurityLog {
  return (event, fields = {}) => {
    const safe = Object.entries(fields).map(([name, value]) => [name, safeValue(value)] as const);
    log(LEVELS[event], event, Object.fromEntries(safe));
  };
}

function safeValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.slice(0, 20).map(safeValue);
  if (typeof value !== 'string') return value;
  return value.slice(0, MAX_LENGTH).replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, ' ');
}
