/** Several notebooks behind one endpoint: each tool under its notebook's name, working on that notebook alone. */
import { AppError } from '../shared/errors.ts';
import type { PromptDefinition, Prompts, ResourcePage, Resources } from './offers.ts';
import type { CallResult, Surface, Tool } from './tool.ts';
import type { LimitedSurface } from './tool-list.ts';

export interface NamedSurface {
  readonly name: string;
  readonly limited: LimitedSurface<never>;
  readonly backend: unknown;
  /** Its tools keep their names. */
  readonly isBare?: true;
}

export function joinSurfaces(parts: readonly NamedSurface[]): LimitedSurface<unknown> {
  const tools = parts.flatMap((part) => part.limited.surface.tools.map((tool) => underName(part, tool)));
  const first = parts[0]?.limited.surface;
  const mayChange = parts.some(({ limited }) => limited.surface.toolsMayChange);
  const surface: Surface<unknown> = {
    id: parts.map(({ name }) => name).join('+'),
    instructions: instructionsOf(parts),
    tools,
    toolsMayChange: mayChange ? true : undefined,
    renderError: (error, tool) => (ownerOf(parts, tool) ?? first)?.renderError(error) ?? plainly(error),
    renderUnknownTool: (error, tool) => ownerOf(parts, tool)?.renderUnknownTool?.(error, tool),
    auditLine: (call) => ownerOf(parts, call.tool)?.auditLine?.(call),
    callingLine: (call) => ownerOf(parts, call.tool)?.callingLine?.(call),
  };
  const withheld = parts.flatMap((part) =>
    [...part.limited.withheld].map(([tool, reason]): [string, string] => [nameIn(part, tool), reason]),
  );
  return { surface, withheld: new Map(withheld) };
}

/** A call that was not run is answered and told of as its own surface would. */
function ownerOf(parts: readonly NamedSurface[], tool = ''): Surface<never> | undefined {
  return parts.find((part) => owns(part, tool))?.limited.surface;
}

function owns({ name, limited, isBare }: NamedSurface, tool: string): boolean {
  if (!isBare) return tool.startsWith(`${name}_`);
  return limited.withheld.has(tool) || limited.surface.tools.some((own) => own.name === tool);
}

function nameIn({ name, isBare }: NamedSurface, tool: string): string {
  return isBare ? tool : `${name}_${tool}`;
}

function plainly({ message, hint }: AppError): CallResult {
  const text = hint === undefined ? `Error: ${message}` : `Error: ${message}\n${hint}`;
  return { content: [{ type: 'text', text }], isError: true };
}

function underName(part: NamedSurface, tool: Tool<never>): Tool<unknown> {
  const { name, limited, backend, isBare } = part;
  const auditLine = tool.auditLine ?? limited.surface.auditLine;
  return {
    ...tool,
    name: nameIn(part, tool.name),
    title: isBare ? tool.title : `${tool.title} (${name})`,
    renderError: (error) => limited.surface.renderError(error),
    ...(auditLine && { auditLine }),
    run: (input, call) => tool.run(input, { ...call, backend: backend as never }),
  };
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

/** The prompts of several behind one endpoint; a name that is taken stays with who has it. */

export function joinPrompts(parts: readonly Prompts[]): Prompts {
  const firstOf = async <T>(ask: (part: Prompts) => Promise<T | undefined>): Promise<T | undefined> => {
    for (const part of parts) {
      const answer = await ask(part);
      if (answer !== undefined) return answer;
    }
    return undefined;
  };
  return {
    async list() {
      const all = (await Promise.all(parts.map((part) => part.list()))).flat();
      const byName = new Map<string, PromptDefinition>();
      for (const prompt of all) if (!byName.has(prompt.name)) byName.set(prompt.name, prompt);
      return [...byName.values()];
    },
    get: (request) => firstOf((part) => part.get(request)),
    complete: (request) => firstOf((part) => part.complete(request)),
    watch(changed) {
      const stops = parts.map((part) => part.watch(changed));
      return () => {
        for (const stop of stops) stop();
      };
    },
  };
}

/** The resources of several behind one endpoint: each answers for the URIs that are its own. */

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
    async complete(request) {
      for (const part of parts) {
        const completion = await part.complete(request);
        if (completion) return completion;
      }
      return undefined;
    },
    watch(events) {
      const stops = parts.map((part) => part.watch(events));
      return () => {
        for (const stop of stops) stop();
      };
    },
  };
}

/** A cursor says whose page comes next, and that one's own cursor. */
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
