/** Opens the counts of tool calls of a server, which are saved every minute while there are calls, and at the end. */
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

export interface OpenUsage {
  readonly counts: Usage;
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
}

const SAVED_EVERY_MS = 60_000;
const MAX_BYTES = 8 * 1024 * 1024;

export async function openUsage(place: UsagePlace): Promise<OpenUsage> {
  const { log } = place;
  const file = fileOf(place);
  const counts = file === undefined ? createUsage() : await savedUsage(file, log);
  let timer: NodeJS.Timeout | undefined;
  let saving = Promise.resolve();
  const save = () => {
    clearTimeout(timer);
    timer = undefined;
    // A later one would have to wait, so that an older count never replaces a newer one.
    saving = saving.then(() => write(counts, file, log));
    return saving;
  };
  return {
    counts,
    called({ outcome, milliseconds, characters = 0, program = '' }, series, { id, clientId }) {
      counts.count({
        tool: series,
        isError: outcome === 'error',
        milliseconds,
        characters,
        principal: id,
        client: clientId ?? program,
      });
      timer ??= setTimeout(save, SAVED_EVERY_MS).unref();
    },
    close: async () => {
      if (timer) await save();
      else await saving;
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
    counts.restore(value as UsageSnapshot);
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
