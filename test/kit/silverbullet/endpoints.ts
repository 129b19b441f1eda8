/** Everything that is not a file: what the server says of itself, its shell, its Runtime API. Runs nothing. */
import { type Answer, appShell, failure, json, plain, VERSIONS } from './dialect.ts';
import type { FakeRequest, Space } from './space.ts';

export function ping({ dialect, folder }: Space): Answer {
  const headers = { ...plain('').headers, 'cache-control': 'no-cache' };
  return {
    status: 200,
    headers: { ...headers, 'x-space-path': folder, 'x-server-version': VERSIONS[dialect] },
    body: 'OK',
  };
}

export function instance(): Answer {
  const answer = json('rust', { instance: '00000000-0000-4000-8000-000000000000', version: VERSIONS.rust });
  return { ...answer, headers: { ...answer.headers, 'access-control-allow-origin': '*' } };
}

export function config({ dialect, folder, readOnly, shellBackend }: Space): Answer {
  const shared = { indexPage: 'index', readOnly, logPush: false, enableClientEncryption: true };
  const answer = json(
    dialect,
    dialect === 'go'
      ? { spaceFolderPath: folder, ...shared }
      : {
          spaceFolderPath: folder,
          spaceName: 'SilverBullet',
          ...shared,
          accountManaged: false,
          shellBackend: readOnly ? 'noop' : shellBackend,
          disableServiceWorker: false,
        },
  );
  return { ...answer, headers: { ...answer.headers, 'cache-control': 'no-cache' } };
}

/** Knows one command. */
export function shell({ dialect, readOnly }: Space, { body }: FakeRequest): Answer {
  if (readOnly && dialect === 'rust')
    return json(dialect, { stdout: '', stderr: 'Read-only mode', code: -1 }, 405);
  if (readOnly) return json(dialect, { stdout: '', stderr: 'Not supported', code: 1 });
  const { cmd, args = [] } = JSON.parse(body.toString()) as { cmd: string; args?: string[] };
  return json(dialect, {
    stdout: cmd === 'echo' ? `${args.join(' ')}\n` : '',
    stderr: '',
    code: cmd === 'echo' ? 0 : 1,
  });
}

export function proxy({ dialect, readOnly }: Space): Answer {
  const text = 'Read only mode, no proxy allowed';
  if (readOnly) return dialect === 'go' ? failure('go', 405, text) : plain(text, 405);
  return { status: 200, headers: { 'x-proxy-status-code': '502' } };
}

/** The answer to a method that a path does not support. */
export function otherMethod({ dialect }: Space, { path }: FakeRequest): Answer {
  if (dialect === 'rust') return { status: 405, headers: { allow: 'GET,HEAD' } };
  return path === '/.logs' ? plain('OK') : appShell('go');
}
