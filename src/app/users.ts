/**
 * The users of a server, for a command in a terminal. Where the server runs, it holds the state folder, and does what is
 * asked for itself, so that it counts at once; else the state is opened here. A database is open to all.
 */
import { type AuthConfig, authSchema, serveSchema } from '../config/http-schema.ts';
import type { Config } from '../config/schema.ts';
import { originOf } from '../http/listen.ts';
import { createSecurityLog } from '../oauth/context.ts';
import { carryOut, createDirectory, type ListedUser, type UserRequest } from '../oauth/users.ts';
import { AppError, isAppError } from '../shared/errors.ts';
import type { Log } from '../shared/log.ts';
import type { StateStore } from '../state/memory.ts';
import { requestOf } from '../state/requests.ts';
import { type AuthServices, OPERATOR, rolesOf } from './auth.ts';
import { openStateDatabase } from './database.ts';
import { openState, stateFolderIn } from './state-store.ts';

export async function askUsers(
  config: Config,
  request: UserRequest,
  { log, stateFolderFor }: Pick<AuthServices, 'log' | 'stateFolderFor'>,
): Promise<readonly ListedUser[]> {
  const auth = config.auth ?? authSchema.parse({});
  if (auth.ownerToken !== undefined) throw noUsers();
  if (config.state?.dir === 'memory') throw inMemory();
  const at = config.gateway ?? config.serve ?? serveSchema.parse({});
  const database = await openStateDatabase(config, log);
  try {
    const folder = stateFolderIn(config, { origin: originOf(at) }, { database, stateFolderFor });
    const state = await openState(folder, { log, database }).catch((error: unknown) => {
      if (isAppError(error, 'conflict')) return undefined;
      throw error;
    });
    return state ? await carryOutIn(state, auth, request, log) : await requestOf(folder!, request);
  } finally {
    await database?.close();
  }
}

async function carryOutIn(state: StateStore, auth: AuthConfig, request: UserRequest, log: Log) {
  try {
    const users = new Map(Object.entries(auth.users));
    const context = { state, now: Date.now, security: createSecurityLog(log) };
    const people = {
      users,
      roles: rolesOf(auth),
      provider: auth.oidc?.issuer,
      providerDays: auth.oidc?.days,
    };
    return await carryOut(createDirectory(context, people), request, OPERATOR);
  } finally {
    await state.close();
  }
}

function noUsers(): AppError {
  return new AppError('invalid_input', 'This server has an owner and no users', {
    hint: 'Its login is the owner token alone (auth.ownerToken).',
  });
}

function inMemory(): AppError {
  return new AppError('invalid_input', 'This server keeps its state in memory', {
    hint: 'Give it a folder (state.dir, --state-dir), or change users in its console.',
  });
}
