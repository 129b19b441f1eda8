/**
 * The backend of the Trilium surface: one Trilium, or one subtree of it, and the conversion between HTML and
 * markdown.
 */
import { type CallOrigin, type CallScope, type DefineTool, defineToolFor } from '../../mcp/tool.ts';
import type { EditRecorder } from '../../notes/edit-recorder.ts';
import type { OverwriteGuard } from '../../notes/store.ts';
import { KeyedMutex } from '../../shared/async/keyed-mutex.ts';
import { TtlCache } from '../../shared/memoize.ts';
import { type AttachmentWriter, createAttachmentWriter } from '../../stores/trilium/attachment-writer.ts';
import type { TriliumClient } from '../../stores/trilium/client.ts';
import type { Conversion } from '../../stores/trilium/conversion.ts';
import { createEmptyLists, type EmptyLists } from '../../stores/trilium/empty-lists.ts';
import { recordedClient } from '../../stores/trilium/record/recorded-client.ts';
import { createFacts } from '../../stores/trilium/subtree/facts.ts';
import { withinSubtree } from '../../stores/trilium/subtree/guard.ts';
import { createWebAddresses, type WebAddresses } from '../../stores/trilium/web-url.ts';
import {
  type ContentWriter,
  createContentWriter,
  createWriteState,
} from '../../stores/trilium/write-content.ts';
import { createWriteLocks, type WriteLocks } from '../../stores/trilium/write-lock.ts';

const FOR_MS = 10 * 60_000;
const MOST_TEXTS = 16;
/** Bound on the length of all cached texts, both forms counted. The newest text is kept whatever its length. */
const MOST_CHARACTERS = 8_000_000;

/**
 * A cache of conversions, because a long note is read page by page. Its size is bounded, and callers that need a
 * conversion already under way share it.
 */
export function remembered(
  convert: (text: string) => string | Promise<string>,
): (text: string) => Promise<string> {
  let recent = fresh();
  let characters = 0;
  return (text) => {
    const known = recent.get(text);
    if (known) return known;
    // Clearing the cache is simpler than evicting entries, and costs one conversion per text still being read.
    if (characters > MOST_CHARACTERS) {
      recent = fresh();
      characters = 0;
    }
    const kept = recent;
    const result = (async () => convert(text))();
    kept.set(text, result);
    characters += text.length;
    result.then(
      (converted) => {
        if (kept === recent) characters += converted.length;
      },
      // Failures are not cached: the next attempt may succeed.
      () => kept.delete(text),
    );
    return result;
  };
}

function fresh(): TtlCache<Promise<string>> {
  return new TtlCache({ forMs: FOR_MS, most: MOST_TEXTS, now: Date.now });
}

export interface TriliumOptions {
  readonly conversion: Conversion;
  /** Base URL of Trilium's web interface. */
  readonly webBase: string;
  /** Root note of the subtree that all calls are confined to. */
  readonly subtree?: string;
  readonly locks?: WriteLocks;
  /** Without it, changes are neither recorded nor guarded. */
  readonly scopeOf?: (origin: CallOrigin) => ChangeScope;
}

/** What records and guards the changes of one call. */
interface ChangeScope {
  readonly recorder?: EditRecorder & { readonly id: string | undefined };
  readonly guard: OverwriteGuard;
}

export interface TriliumBackend {
  readonly client: TriliumClient;
  readonly contents: ContentWriter;
  readonly attachments: AttachmentWriter;
  readonly conversion: Conversion;
  readonly addresses: WebAddresses;
  readonly emptyLists: EmptyLists;
  /** Absent where every note may be replaced. */
  readonly guard?: OverwriteGuard;
  /** A backend for one call, which records its changes. */
  readonly forCall?: (origin: CallOrigin) => CallScope<TriliumBackend>;
  /** A backend for one call, whose requests end with the signal, and which caches the positions of notes in a subtree. */
  limitedTo(signal?: AbortSignal): TriliumBackend;
}

export function createTriliumBackend(whole: TriliumClient, options: TriliumOptions): TriliumBackend {
  const { conversion, webBase, subtree = 'root', locks = createWriteLocks(), scopeOf } = options;
  const isSubtree = subtree !== 'root';
  const lock = locks(whole.host);
  const state = createWriteState();
  const queue = new KeyedMutex();
  const shared = {
    conversion: { ...conversion, toMarkdown: remembered((html) => conversion.toMarkdown(html)) },
    addresses: createWebAddresses(whole, { base: webBase, isSubtree }),
    emptyLists: createEmptyLists(),
  };
  const backendFor = (scope: Partial<ChangeScope>, signal?: AbortSignal): TriliumBackend => {
    const { recorder, guard } = scope;
    // Below the guard of a subtree, which refuses requests that must not be recorded.
    const limited = recorder
      ? recordedClient(whole.limited({ signal }), recorder)
      : whole.limited({ signal });
    const client = isSubtree
      ? withinSubtree(limited, subtree, createFacts())
      : learning(limited, shared.addresses);
    return {
      ...shared,
      client,
      contents: createContentWriter(client, lock, state),
      attachments: createAttachmentWriter(client, lock, queue),
      guard,
      limitedTo: (until) => backendFor(scope, until),
    };
  };
  const forCall = (origin: CallOrigin): CallScope<TriliumBackend> => {
    const scope: Partial<ChangeScope> = scopeOf?.(origin) ?? {};
    return { backend: backendFor(scope), changeId: () => scope.recorder?.id };
  };
  return { ...backendFor({}), forCall: scopeOf && forCall };
}

/** Learns web addresses from notes that are read anyway, which saves requests for them. */
function learning(client: TriliumClient, { learn }: WebAddresses): TriliumClient {
  const get: TriliumClient['notes']['get'] = async (noteId) => {
    const note = await client.notes.get(noteId);
    learn(note);
    return note;
  };
  return { ...client, notes: { ...client.notes, get } };
}

const define = defineToolFor<TriliumBackend>();

/**
 * Annotates the title too, as triliumnext-mcp does. Cancellation ends a read at once; a change that has begun is
 * completed, because half a change would be worse.
 */
export const defineTool: DefineTool<TriliumBackend> = (tool) =>
  define({
    ...tool,
    annotations: { title: tool.title, ...tool.annotations },
    run: (input, call) =>
      tool.run(input, {
        ...call,
        backend: call.backend.limitedTo(tool.effect === 'read' ? call.signal : undefined),
      }),
  });
