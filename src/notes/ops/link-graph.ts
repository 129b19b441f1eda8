/** Questions about the links between all notes. Pages in the trash are no part of it. */
import { mapConcurrently } from '../../shared/async/semaphore.ts';
import { forEachInSlices } from '../../shared/async/time-slices.ts';
import { isAppError } from '../../shared/errors.ts';
import { OPTIONAL_EXTENSIONS } from '../links/resolve.ts';
import { extensionOf, type NotePath } from '../path.ts';
import type { LinkGraph, NoteLink, NoteSearcher, SearchOptions } from '../searcher.ts';
import type { Notebook, NoteStore } from '../store.ts';
import { textOf } from '../text/text.ts';
import { isTrashed } from './trash.ts';

export interface DirectedLink extends NoteLink {
  readonly direction: 'incoming' | 'outgoing';
  /** Among the links of the same two notes on one line. */
  readonly ordinal: number;
}

/** The links to a note, then its own. */
export async function linksOf(
  searcher: NoteSearcher,
  path: NotePath,
  asking?: SearchOptions,
): Promise<DirectedLink[]> {
  const graph = await searcher.links(asking);
  const incoming = graph.incoming(path).filter(({ from }) => from !== path && !isTrashed(from));
  return [...numbered(incoming, 'incoming'), ...numbered(graph.outgoing(path), 'outgoing')];
}

function numbered(links: readonly NoteLink[], direction: DirectedLink['direction']): DirectedLink[] {
  let ordinal = 0;
  return links.map((link, at) => {
    const before = links[at - 1];
    ordinal = before?.from === link.from && before.line === link.line ? ordinal + 1 : 0;
    return { ...link, direction, ordinal };
  });
}

/** Whether a target means a note. Other files are not indexed, so a link to one of them cannot be said to be broken. */
export function meansNote(target: string): boolean {
  const extension = extensionOf(target);
  return OPTIONAL_EXTENSIONS.includes(extension) || !/^\.[a-z][a-z0-9]{1,9}$/.test(extension);
}

/** Links to notes that do not exist. */
export async function brokenLinks(
  searcher: NoteSearcher,
  isWanted: (path: NotePath) => boolean,
  asking?: SearchOptions,
): Promise<NoteLink[]> {
  return (await brokenIn(await searcher.links(asking))).filter(({ from }) => isWanted(from));
}

/** Computed once for each state of the links, in time slices. */
function oncePerGraph<T extends object>(compute: (graph: LinkGraph) => Promise<T>) {
  const known = new WeakMap<LinkGraph, Promise<T>>();
  return (graph: LinkGraph): Promise<T> => {
    const value = known.get(graph) ?? compute(graph);
    known.set(graph, value);
    return value;
  };
}

const brokenIn = oncePerGraph(async (graph): Promise<readonly NoteLink[]> => {
  const broken: NoteLink[] = [];
  await forEachInSlices(graph.unresolved(), (link) => {
    if (meansNote(link.target) && !isTrashed(link.from)) broken.push(link);
  });
  return broken;
});

const orphansIn = oncePerGraph(async (graph): Promise<readonly Orphan[]> => {
  const lonely: Orphan[] = [];
  await forEachInSlices(graph.orphans(), (path) => {
    if (isTrashed(path)) return;
    const own = graph.outgoing(path).filter(({ to }) => to !== undefined && to !== path);
    lonely.push({ path, outgoing: own.length });
  });
  return lonely;
});

export interface Orphan {
  readonly path: NotePath;
  /** How many links lead from it to other notes. */
  readonly outgoing: number;
}

/** Notes that no other note links to. */
export async function orphans(
  searcher: NoteSearcher,
  isWanted: (path: NotePath) => boolean,
  asking?: SearchOptions,
): Promise<Orphan[]> {
  return (await orphansIn(await searcher.links(asking))).filter(({ path }) => isWanted(path));
}

/** A note within some links of another. */
export interface Neighbour {
  readonly path: NotePath;
  readonly distance: number;
  /** The note one link nearer. */
  readonly through: NotePath;
  /** Between the two: the way the link points, seen from `through`. */
  readonly direction: DirectedLink['direction'];
}

/** The notes within `depth` links of a note, whichever way the links point, the nearest first. */
export async function neighbourhood(
  searcher: NoteSearcher,
  path: NotePath,
  depth: number,
  asking?: SearchOptions,
): Promise<Neighbour[]> {
  const graph = await searcher.links(asking);
  const isNote = await notesOf(searcher);
  return [...walk(graph, path, isNote, depth)];
}

/** The links of a shortest way from one note to another, whichever way each points; undefined when there is none. */
export async function shortestPath(
  searcher: NoteSearcher,
  from: NotePath,
  to: NotePath,
  asking?: SearchOptions,
): Promise<NoteLink[] | undefined> {
  if (from === to) return [];
  const graph = await searcher.links(asking);
  const isNote = await notesOf(searcher);
  const reached = new Map<NotePath, Neighbour>();
  for (const neighbour of walk(graph, from, isNote)) {
    reached.set(neighbour.path, neighbour);
    if (neighbour.path === to) return linksBack(graph, reached, neighbour);
  }
  return undefined;
}

async function notesOf(searcher: NoteSearcher): Promise<(path: NotePath) => boolean> {
  const notes = new Set((await searcher.notes()).map(({ path }) => path));
  return (path) => notes.has(path) && !isTrashed(path);
}

/** Breadth first. */
function* walk(
  graph: LinkGraph,
  start: NotePath,
  isNote: (path: NotePath) => boolean,
  depth = Number.POSITIVE_INFINITY,
): Generator<Neighbour> {
  const seen = new Set([start]);
  let edge: readonly NotePath[] = [start];
  for (let distance = 1; distance <= depth && edge.length > 0; distance++) {
    const next: NotePath[] = [];
    for (const through of edge) {
      for (const [path, direction] of adjacent(graph, through)) {
        if (seen.has(path) || !isNote(path)) continue;
        seen.add(path);
        next.push(path);
        yield { path, distance, through, direction };
      }
    }
    edge = next;
  }
}

function* adjacent(
  graph: LinkGraph,
  path: NotePath,
): Generator<readonly [NotePath, DirectedLink['direction']]> {
  for (const { to } of graph.outgoing(path)) if (to !== undefined) yield [to, 'outgoing'];
  for (const { from } of graph.incoming(path)) yield [from, 'incoming'];
}

function linksBack(graph: LinkGraph, reached: ReadonlyMap<NotePath, Neighbour>, end: Neighbour): NoteLink[] {
  const links: NoteLink[] = [];
  for (let step: Neighbour | undefined = end; step; step = reached.get(step.through)) {
    const { path, through, direction } = step;
    const [from, to] = direction === 'outgoing' ? [through, path] : [path, through];
    const link = graph.outgoing(from).find((one) => one.to === to);
    if (link) links.unshift(link);
  }
  return links;
}

const LONGEST_TEXT = 160;
const PARALLEL = 8;

/** The line of text that each link stands in; undefined where the note cannot be read now. */
export async function contextOf(
  { notes }: Pick<Notebook, 'notes'>,
  links: readonly NoteLink[],
  asking: SearchOptions = {},
): Promise<(string | undefined)[]> {
  const paths = [...new Set(links.map(({ from }) => from))];
  const read = await mapConcurrently(
    paths,
    notes.readsAtOnce ?? PARALLEL,
    (path) => linesOf(notes, path),
    asking.signal,
  );
  const texts = new Map(paths.map((path, at) => [path, read[at]]));
  if (read.includes(undefined)) asking.onWarning?.('The text around some links could not be read.');
  return links.map(({ from, line, target }) => {
    const text = texts.get(from)?.[line - 1]?.trim();
    return text === undefined || text === '' ? undefined : around(text, target);
  });
}

async function linesOf(notes: NoteStore, path: NotePath): Promise<readonly string[] | undefined> {
  try {
    return textOf(await notes.read(path)).split('\n');
  } catch (error) {
    if (isAppError(error)) return undefined;
    throw error;
  }
}

/** The part of a long line that has the words in it. */
function around(line: string, words: string): string {
  if (line.length <= LONGEST_TEXT) return line;
  const at = Math.max(0, line.indexOf(words) + Math.floor((words.length - LONGEST_TEXT) / 2));
  const start = Math.min(at, line.length - LONGEST_TEXT);
  const cut = line
    .slice(start, start + LONGEST_TEXT)
    .toWellFormed()
    .replaceAll('\uFFFD', '');
  return `${start > 0 ? '…' : ''}${cut}${start + LONGEST_TEXT < line.length ? '…' : ''}`;
}
