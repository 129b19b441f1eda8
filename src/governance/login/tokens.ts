/**
 * The access token of a server for every request, renewed when it is refused: by one process at a time, because refresh
 * tokens rotate. It never prompts; when a person has to log in, it fails with `login_required`.
 */
import { join } from 'node:path';
import { type AuthProvider, auth, extractWWWAuthenticateParams } from '@modelcontextprotocol/client';
import { isAppError } from '../../shared/errors.ts';
import { makePrivateFolder } from '../../shared/fs/private.ts';
import { createFileMutex } from '../../state/file-mutex.ts';
import { failure } from '../../upstream/failure.ts';
import { createProvider, type LazyLoginTarget } from './provider.ts';

interface TokenParts extends LazyLoginTarget {
  readonly folder: string;
}

/** Longer than a renewal takes. */
const WAIT_MS = 60_000;
const NOWHERE = 'http://127.0.0.1/callback';

export function tokensOf(parts: TokenParts): AuthProvider {
  const { place, store, folder } = parts;
  const inMutex = createFileMutex(join(folder, `login-${place.name}.lock`), WAIT_MS);
  let given: string | undefined;
  return {
    async token() {
      given = (await store.of(place))?.tokens?.access_token;
      return given;
    },
    async onUnauthorized({ response }) {
      const refused = given;
      await makePrivateFolder(folder);
      await inMutex(async () => {
        const now = (await store.of(place))?.tokens?.access_token;
        if (now === undefined || now === refused) await renew(parts, response);
      });
    },
  };
}

async function renew(
  { place, store, settings: settingsNow, send }: TokenParts,
  response: Response,
): Promise<void> {
  const settings = settingsNow();
  const isOwn = settings.grant === 'client_credentials';
  if (!isOwn && (await store.of(place))?.tokens?.refresh_token === undefined) throw loginNeeded(place.name);
  const { resourceMetadataUrl, scope } = extractWWWAuthenticateParams(response);
  const provider = createProvider({
    place,
    store,
    settings,
    redirectUrl: NOWHERE,
    onPage: async () => {
      // Tokens are kept when the renewal failed, and gone when it was refused.
      throw (await store.of(place))?.tokens ? notRenewed(place.name) : loginNeeded(place.name);
    },
  });
  try {
    await auth(provider, {
      serverUrl: place.url,
      fetchFn: send,
      resourceMetadataUrl,
      scope: isOwn ? settings.scopes.join(' ') || scope : undefined,
    });
  } catch (cause) {
    throw isAppError(cause) ? cause : notRenewed(place.name, cause);
  }
}

function loginNeeded(server: string): Error {
  return failure('login_required', {
    server,
    hint: `It wants a login. Run quire mcp login ${server} on a terminal, then try again.`,
  });
}

function notRenewed(server: string, cause?: unknown): Error {
  return failure('http_error', {
    server,
    hint: `The login could not be renewed right now. Try again, or run quire mcp login ${server}.`,
    cause,
  });
}
