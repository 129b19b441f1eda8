/**
 * Opens the counts of tool calls of a server, which are saved every minute while there are calls, and at the end. Replicas
 * add theirs to what they share every few seconds.
 */
import { dirname, join } from 'node:path';
import type { ServeConfig } from '../config/http-schema.ts';
import type { Config } from '../config/schema.ts';
import { createUsage, type Usage, type UsageSnapshot } from '../http/usage.ts';
import type { ToolCallRecord } from '../mcp/tool.ts';
import { makePrivateFolder } from '../shared/fs/private.ts';
import { replaceFile } from '../shared/fs/replace-file.ts';
import type { Log } from '../shared/log.ts';
import type { Principal } from '../shared/principal.ts';
import { openJsonFile } from '../state/json-file.ts';
import type { Database } from '../state/postgres/database.ts';
import type { KeptUsage } from './shared-usage.ts';

export interface OpenUsage {
  readonly counts: Pick<Usage, 'report' | 'apps'>;
  /** Counts a call; `series` is the name its tool is counted under. */
  called(call: ToolCallRecord, series: string, principal: Principal): void;
  close(): Promise<void>;
}

interface UsagePlace {
  readonly config: Pick<Config, 'state'>;
  readonly serve: Pick<ServeConfig, 'port'>;
  readonly origin: string;
  readonly stateFolderFor: (origin: string) => string;
  readonly log: Log;
  readonly database?: Database;
}

const SAVED_EVERY_MS = 60_000;
const SHARED_EVERY_MS = 5_000;
const MAX_BYTES = 8 * 1024 * 1024;

export async function openUsage(place: UsagePlace): Promise<OpenUsage> {
  const { log, database } = place;
  if (database) {
    const { openSharedUsage } = await import('./shared-usage.ts');
    return savedBy(openSharedUsage(database, log), SHARED_EVERY_MS);
  }
  const file = fileOf(place);
  const counts = file === undefined ? createUsage() : await savedUsage(file, log);
  return savedBy({ counts, count: counts.count, save: () => write(counts, file, log) }, SAVED_EVERY_MS);
}

function savedBy({ counts, count, save: write, close }: KeptUsage, everyMs: number): OpenUsage {
  let timer: NodeJS.Timeout | undefined;
  let saving = Promise.resolve();
  const save = () => {
    clearTimeout(timer);
    timer = undefined;
    // A later one would have to wait, so that an older count never replaces a newer one.
    saving = saving.then(write);
    return saving;
  };
  return {
    counts,
    called({ outcome, milliseconds, characters = 0, program = '' }, series, { id, clientId }) {
      count({
        tool: series,
        isError: outcome === 'error',
        milliseconds,
        characters,
        principal: id,
        client: clientId ?? program,
      });
      timer ??= setTimeout(save, everyMs).unref();
    },
    close: async () => {
      if (timer) await save();
      else await saving;
      close?.();
    },
  };
}

/** Undefined where counts are kept in memory: a server on any free port does not find them again. */
function fileOf({ config, serve, origin, stateFolderFor }: UsagePlace): string | undefined {
  const { dir } = config.state ?? {};
  if (dir === 'memory' || (dir === undefined && serve.port === 0)) return undefined;
  return join(dir ?? stateFolderFor(origin), 'usage.json');
}

async function savedUsage(file: string, log: Log): Promise<Usage> {
  const parse = (value: unknown) => {
    const counts = createUsage();
    counts.add(value as UsageSnapshot);
    return counts;
  };
  try {
    return await openJsonFile(file, { parse, empty: createUsage(), maxBytes: MAX_BYTES }).read();
  } catch (error) {
    log('warn', 'the counts of tool calls could not be read; counting starts from zero', {
      error: String(error),
    });
    return createUsage();
  }
}

async function write(counts: Usage, file: string | undefined, log: Log): Promise<void> {
  if (file === undefined) return;
  try {
    await makePrivateFolder(dirname(file));
    await replaceFile(file, JSON.stringify(counts.snapshot()), { flush: false });
  } catch (error) {
    log('warn', 'the counts of tool calls could not be saved', { error: String(error) });
  }
}
