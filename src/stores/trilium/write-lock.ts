/** What makes the writes of this user's Quires on this machine to one note or attachment of a Trilium wait for each other. */
import type { Log } from '../../shared/log.ts';
import { createSharedLock, type SharedLock } from '../folder/shared-lock.ts';
import type { TriliumClient } from './client.ts';

export function createWriteLock({ host }: Pick<TriliumClient, 'host'>, log?: Log): SharedLock {
  return createSharedLock(host, { log });
}
