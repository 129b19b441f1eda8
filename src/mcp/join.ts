/** Joins the surfaces, prompts and resources of several notebooks and servers behind one endpoint. */
import type { GetPromptResult } from '@modelcontextprotocol/server';
import { AppError } from '../shared/errors.ts';
import { plainResult } from './errors.ts';
import type { Logs } from './logs.ts';
import {
  isContents,
  type PromptDefinition,
  type Prompts,
  type ResourcePage,
  type Resources,
} from './offers.ts';
import type { Questions } from './request.ts';
import type { Surface, Tool } from './tool.ts';
import type { LimitedSurface } from './tool-list.ts';

export interface NamedSurface {
  readonly name: string;
  readonly limited: LimitedSurface<never>;
  readonly backend: unknown;
  /** Its tools keep their names. */
  readonly isBare?: true;
}

/** Each tool has its notebook's name in front, and works on that notebook alone. */
export function joinSurfaces(parts: readonly NamedSurface[]): LimitedSurface<unknown> {
  const owners = new Map(
    parts.flatMap((part) => namesIn(part).map((tool) => [nameIn(part, tool), part.limited.surface])),
  );
  /** The surface that renders errors and log lines, also for the name of no tool. */
  const ownerOf = (tool: string): Surface<never> | undefined =>
    owners.get(tool) ??
    parts.find(({ name, isBare }) => !isBare && tool.startsWith(`${name}_`))?.limited.surface;
  const first = parts[0]?.limited.surface;
  const surface: Surface<unknown> = {
    id: parts.map(({ name }) => name).join('+'),
    instructions: instructionsOf(parts),
    tools: parts.flatMap((part) => part.limited.surface.tools.map((tool) => underName(part, tool))),
    toolsMayChange: parts.some(({ limited }) => limited.surface.toolsMayChange) || undefined,
    renderError: (error, tool) => (ownerOf(tool) ?? first)?.renderError(error, tool) ?? plainResult(error),
    renderUnknownTool: (error, tool) => ownerOf(tool)?.renderUnknownTool?.(error, tool),
    logLine: (event) => (event.type === 'listed' ? undefined : ownerOf(event.tool)?.logLine?.(event)),
  };
  const withheld = parts.flatMap((part) =>
    [...part.limited.withheld].map(([tool, reason]): [string, string] => [nameIn(part, tool), reason]),
  );
  return { surface, withheld: new Map(withheld) };
}

function namesIn({ limited }: NamedSurface): string[] {
  return [...limited.surface.tools.map(({ name }) => name), ...limited.withheld.keys()];
}

export function nameIn({ name, isBare }: Pick<NamedSurface, 'name' | 'isBare'>, tool: string): string {
  return isBare ? tool : `${name}_${tool}`;
}

function underName(part: NamedSurface, tool: Tool<never>): Tool<unknown> {
  const { name, backend, isBare } = part;
  return {
    ...tool,
    name: nameIn(part, tool.name),
    title: isBare ? tool.title : `${tool.title} (${name})`,
    // A view calls tools by their names here.
    view: tool.view && (isBare ? tool.view : { ...tool.view, uri: `${tool.view.uri}/${name}` }),
    run: async (input, call) => {
      const output = await tool.run(input, { ...call, backend: backend as never });
      return isBare ? output : { ...output, blocks: output.blocks?.map((block) => blockUnder(name, block)) };
    },
  };
}

/** Resources and links to them in answers have the URIs of `resourcesUnder`. */
function blockUnder<Block extends object>(name: string, block: Block): Block {
  const { resource, uri } = block as { resource?: { uri: string }; uri?: string };
  if (resource) return { ...block, resource: { ...resource, uri: uriUnder(name, resource.uri) } };
  return uri === undefined ? block : { ...block, uri: uriUnder(name, uri) };
}

function instructionsOf(parts: readonly NamedSurface[]): string {
  const named = parts.filter(({ isBare }) => !isBare);
  const names = named.map(({ name }) => name).join(', ');
  const lead = `Notebooks: ${names}. A tool's name begins with the notebook it works on.`;
  const each = parts.map(({ name, limited, isBare }) =>
    isBare ? limited.surface.instructions : `${name}: ${limited.surface.instructions}`,
  );
  return [...(named.length > 0 ? [lead] : []), ...each].join('\n\n');
}

/** The first part with a prompt of a name has that name. */
export function joinPrompts(parts: readonly Prompts[]): Prompts {
  return {
    async list() {
      const all = (await Promise.all(parts.map((part) => part.list()))).flat();
      const byName = new Map<string, PromptDefinition>();
      for (const prompt of all) if (!byName.has(prompt.name)) byName.set(prompt.name, prompt);
      return [...byName.values()];
    },
    get: (request) => firstAnswer(parts, (part) => part.get(request)),
    complete: (request) => firstAnswer(parts, (part) => part.complete(request)),
    watch: (changed) => joinStops(parts.map((part) => part.watch(changed))),
  };
}

/** The prompts of one notebook among several: their names have its name in front, as its tools do. */
export function promptsUnder(name: string, own: Prompts): Prompts {
  const prefix = `${name}_`;
  const inner = (prompt: string) => (prompt.startsWith(prefix) ? prompt.slice(prefix.length) : undefined);
  return {
    list: async () =>
      (await own.list()).map((prompt) => ({
        ...prompt,
        name: prefix + prompt.name,
        title: prompt.title && `${prompt.title} (${name})`,
      })),
    async get(request) {
      const asked = inner(request.name);
      const answer = asked === undefined ? undefined : await own.get({ ...request, name: asked, prefix });
      if (!answer || !isMessages(answer)) return answer;
      const messages = answer.messages.map((message) => ({
        ...message,
        content: blockUnder(name, message.content),
      }));
      return { ...answer, messages };
    },
    complete: async (request) => {
      const of = inner(request.of);
      return of === undefined ? undefined : own.complete({ ...request, of });
    },
    watch: (changed) => own.watch(changed),
  };
}

function isMessages(answer: GetPromptResult | Questions): answer is GetPromptResult {
  return 'messages' in answer;
}

async function firstAnswer<Part, Answer>(
  parts: readonly Part[],
  ask: (part: Part) => Promise<Answer | undefined>,
): Promise<Answer | undefined> {
  for (const part of parts) {
    const answer = await ask(part);
    if (answer !== undefined) return answer;
  }
  return undefined;
}

/** Each part answers for its own URIs. */
export function joinResources(parts: readonly Resources[]): Resources {
  const ownerOf = (uri: string): Resources => {
    const owner = parts.find((part) => part.owns(uri));
    if (!owner) throw new AppError('not_found', 'Resource not found', { subject: uri.slice(0, 200) });
    return owner;
  };
  return {
    isUnwatched: parts.every(({ isUnwatched }) => isUnwatched) ? true : undefined,
    list: (cursor) => listFrom(parts, cursor),
    templates: async () => (await Promise.all(parts.map((part) => part.templates()))).flat(),
    owns: (uri) => parts.some((part) => part.owns(uri)),
    read: async (uri, request) => ownerOf(uri).read(uri, request),
    canonical: (uri) => ownerOf(uri).canonical(uri),
    subscribe: async (uri, caller) => (await ownerOf(uri).subscribe?.(uri, caller)) ?? (() => {}),
    complete: (request) => firstAnswer(parts, (part) => part.complete(request)),
    watch: (events, caller) => joinStops(parts.map((part) => part.watch(events, caller))),
  };
}

/** Resources at `scheme:///…` of one notebook among several, at `scheme://name/…`. */
export function resourcesUnder(name: string, own: Resources): Resources {
  const inner = (uri: string): string | undefined => {
    const { 1: scheme, 2: authority, 3: path } = /^([a-z]+):\/\/([^/]*)\/(.*)$/s.exec(uri) ?? [];
    return authority === name ? `${scheme}:///${path}` : undefined;
  };
  const known = (uri: string): string => {
    const ours = inner(uri);
    if (ours === undefined)
      throw new AppError('not_found', 'Resource not found', { subject: uri.slice(0, 200) });
    return ours;
  };
  const under = (uri: string) => uriUnder(name, uri);
  return {
    isUnwatched: own.isUnwatched,
    list: async (cursor) => {
      const page = await own.list(cursor);
      return { ...page, entries: page.entries.map((entry) => ({ ...entry, uri: under(entry.uri) })) };
    },
    templates: async () =>
      (await own.templates()).map((template) => ({ ...template, uriTemplate: under(template.uriTemplate) })),
    owns: (uri) => own.owns(inner(uri) ?? ''),
    read: async (uri, request) => {
      const answer = await own.read(known(uri), request);
      return isContents(answer) ? answer.map((content) => ({ ...content, uri })) : answer;
    },
    canonical: (uri) => under(own.canonical(known(uri))),
    subscribe: async (uri, caller) => (await own.subscribe?.(known(uri), caller)) ?? (() => {}),
    complete: async (request) => {
      const of = inner(request.of);
      return of === undefined ? undefined : own.complete({ ...request, of });
    },
    watch: (events, caller) => own.watch({ ...events, updated: (uri) => events.updated(under(uri)) }, caller),
  };
}

function uriUnder(name: string, uri: string): string {
  return uri.replace(/^([a-z]+):\/\/\//, `$1://${name}/`);
}

/** A cursor is the index of the part whose page comes next, and that part's own cursor. */
async function listFrom(parts: readonly Resources[], cursor: string | undefined): Promise<ResourcePage> {
  const { 1: first = '0', 2: own = '' } = /^(\d{1,3}):(.*)$/s.exec(cursor ?? '0:') ?? [];
  if (cursor !== undefined && !/^\d{1,3}:/.test(cursor))
    throw new AppError('invalid_input', 'Unknown cursor', { hint: 'List again without one.' });
  let at = Number(first);
  let next: string | undefined = own === '' ? undefined : own;
  for (; at < parts.length; at++) {
    const page = await (parts[at] as Resources).list(next);
    next = undefined;
    if (page.nextCursor !== undefined) return { ...page, nextCursor: `${at}:${page.nextCursor}` };
    if (page.entries.length === 0) continue;
    return at + 1 < parts.length ? { ...page, nextCursor: `${at + 1}:` } : page;
  }
  return { entries: [] };
}

export function joinLogs(parts: readonly Logs[]): Logs {
  return {
    watch: (send, caller) => joinStops(parts.map((part) => part.watch(send, caller))),
    isQuiet: parts.every(({ isQuiet }) => isQuiet) ? true : undefined,
  };
}

/** One function that calls all of them. */
function joinStops(stops: readonly (() => void)[]): () => void {
  return () => {
    for (const stop of stops) stop();
  };
}
