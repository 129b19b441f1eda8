/** About the whole Trilium, and its tokens. */
import { AppError } from '../../../shared/errors.ts';
import { notTrilium } from './errors.ts';
import { readAppInfo } from './read.ts';
import type { Transport } from './transport.ts';
import type { AppInfo, CallOptions } from './types.ts';

export interface SystemApi {
  appInfo(options?: CallOptions): Promise<AppInfo>;
  /** What its clock shows, in milliseconds; undefined if it does not say. Its `utcDateTime` is that of its start. */
  clock(options?: CallOptions): Promise<number | undefined>;
  /** Asked for once. */
  version(): Promise<string>;
  /** Into Trilium's own data directory, as `backup-<name>.db`. */
  backup(name: string, options?: CallOptions): Promise<void>;
  metrics(options?: CallOptions): Promise<Readonly<Record<string, unknown>>>;
  openApi(options?: CallOptions): Promise<string>;
  /** A token for a password. */
  login(password: string, tokenName: string, options?: CallOptions): Promise<string>;
  /** Makes our own token worthless. */
  logout(options?: CallOptions): Promise<void>;
}

const BACKUP_PATIENCE = 6;

export function systemApi({ json, content, nothing, version }: Transport): SystemApi {
  return {
    appInfo: (options) => json({ ...options, path: ['app-info'] }, readAppInfo),
    clock: (options) =>
      json({ ...options, path: ['app-info'] }, (_, answer) => {
        const time = Date.parse(answer.header('date') ?? '');
        return Number.isNaN(time) ? undefined : time;
      }),
    version,
    backup: async (name, options) =>
      nothing({ patience: BACKUP_PATIENCE, ...options, method: 'PUT', path: ['backup', checkedName(name)] }),
    metrics: (options) =>
      json(
        {
          ...options,
          path: ['metrics'],
          query: { format: 'json' },
          since: { version: '0.94', what: 'Metrics of Trilium' },
        },
        (value) => {
          if (typeof value !== 'object' || value === null) throw notTrilium();
          return value as Record<string, unknown>;
        },
      ),
    openApi: async (options) =>
      Buffer.from((await content({ ...options, path: ['etapi.openapi.yaml'] })).bytes).toString(),
    login: (password, tokenName, options) =>
      json(
        { ...options, method: 'POST', path: ['auth', 'login'], json: { password, tokenName } },
        (value) => {
          const token = (value as { authToken?: unknown } | null)?.authToken;
          if (typeof token !== 'string') throw notTrilium();
          return token;
        },
      ),
    logout: (options) => nothing({ ...options, method: 'POST', path: ['auth', 'logout'] }),
  };
}

/** Trilium takes any name; this one becomes part of a file's. */
function checkedName(name: string): string {
  if (!/^[A-Za-z0-9_-]{1,100}$/.test(name))
    throw new AppError('invalid_input', 'Invalid backup name', {
      hint: 'Use letters, digits, _ and - only.',
    });
  return name;
}
