/** What a login at a configured server is made of. */
import type { FetchLike } from '@modelcontextprotocol/client';
import type { ControlPlane, UpstreamServer } from '../../config/control-plane.ts';
import type { Environment } from '../../config/references.ts';
import { AppError } from '../../shared/errors.ts';
import { guardedFetch } from '../connect/guarded-fetch.ts';
import { type LoginPlace, type LoginStore, openLoginStore } from './login-store.ts';
import { type OAuthSettings, oauthSettingsOf } from './provider.ts';

export interface LoginAt {
  readonly place: LoginPlace;
  readonly store: LoginStore;
  readonly settings: OAuthSettings;
  /** Without the headers of the server: they are not for its authorization server. */
  readonly send: FetchLike;
}

const MAX_BYTES = 1024 * 1024;

export function loginPartsFor({
  config,
  environment,
  now,
}: {
  readonly config: ControlPlane;
  readonly environment: Environment;
  readonly now: () => number;
}): (server: UpstreamServer) => Omit<LoginAt, 'settings'> & { readonly settings: () => OAuthSettings } {
  const store = openLoginStore(config.stateDir, now);
  return (server) => {
    const { name, url, allowPrivate } = server;
    if (url === undefined || !URL.canParse(url))
      throw new AppError('unsupported', 'Only servers over HTTP have a login', { subject: name });
    const send = guardedFetch({
      serverUrl: new URL(url),
      allowPrivate,
      answerTimeoutMs: config.limits.connectTimeoutMs,
      maxMessageBytes: MAX_BYTES,
    });
    return { place: { name, url }, store, send, settings: () => oauthSettingsOf(server, environment) };
  };
}
