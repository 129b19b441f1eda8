/** The notebooks: whether each can be reached, how complete its index is, and what a search in it finds and why. */
import type { ScoreParts, SearchHit, WordScore } from '../../notes/searcher.ts';
import { AppError } from '../../shared/errors.ts';
import { type Html, html } from '../../shared/html.ts';
import { printable } from '../../shared/printable.ts';
import { type ConsolePage, formOf, linkTo, type PageRequest, timeOf } from '../page.ts';

/** Undefined fields are not known. */
export interface NotebookFacts {
  readonly name: string;
  /** `a folder`, `a SilverBullet space`. */
  readonly store: string;
  /** Its folder or address; only admins see it. */
  readonly place: string;
  readonly isReadOnly: boolean;
  readonly reach: { readonly isReached: boolean; readonly since: number; readonly problem?: string };
  /** Undefined where Quire keeps no index. */
  readonly index?: {
    readonly notes: number;
    readonly indexed: number;
    readonly pending: number;
    readonly unreadable: number;
    readonly comparedAt?: number;
    readonly isWatching: boolean;
  };
  /** Undefined where none is kept. */
  readonly historyBytes?: number;
  /** The newest first. */
  readonly warnings: readonly NotebookWarning[];
}

export interface NotebookWarning {
  readonly at: number;
  readonly message: string;
  readonly details: string;
}

/** How far the second brain is with the meaning of the notes. */
export interface EmbeddingFacts {
  readonly isOn: boolean;
  /** Learned from the notes themselves, without a model. */
  readonly isLearned?: boolean;
  /** Undefined until the model is there. */
  readonly notes?: { readonly done: number; readonly all: number; readonly passages: number };
  readonly isWorking: boolean;
  readonly problem?: string;
}

export interface NotebookHits {
  readonly hits: readonly SearchHit[];
  readonly total: number;
  readonly warning?: string;
}

export interface NotebooksSource {
  readonly names: readonly string[];
  facts(name: string): Promise<NotebookFacts>;
  /** Undefined without a second brain. */
  embedding(): EmbeddingFacts | undefined;
  /** As an assistant would search, with the parts of each score. */
  search(name: string, query: string, signal: AbortSignal): Promise<NotebookHits>;
  /** Resolves when the notes are being read again. */
  rebuild(name: string): Promise<void>;
}

const NOTEBOOKS_PATH = '/console/notebooks';
const NOTEBOOK_PATH = '/console/notebook';
const MAX_QUERY = 500;

export function notebookPages(source: NotebooksSource): ConsolePage[] {
  return [listPage(source), onePage(source)];
}

function listPage(source: NotebooksSource): ConsolePage {
  return {
    path: NOTEBOOKS_PATH,
    menu: 'Notebooks',
    async show({ viewer }) {
      const all = await Promise.all(source.names.map((name) => source.facts(name)));
      return {
        title: 'Notebooks',
        body: html`${all.length === 0 && html`<p class="note">No notebook is served. Add one under <code>notebooks</code> in the configuration.</p>`}
<ul class="plain">${all.map(
          (
            facts,
          ) => html`<li class="card"><div class="row"><h2><a href="${linkTo(NOTEBOOK_PATH, { name: facts.name })}">${printable(facts.name, 100)}</a></h2>${reachBadge(facts)}${indexBadge(facts)}</div>
${factsView(facts, viewer.isAdmin)}</li>`,
        )}</ul>
${embeddingView(source.embedding())}`,
      };
    },
  };
}

function onePage(source: NotebooksSource): ConsolePage {
  const nameIn = (given: string | null) => {
    const name = source.names.find((one) => one === given);
    if (name !== undefined) return name;
    throw new AppError('not_found', 'There is no such notebook', {
      subject: printable(given ?? '', 100),
      hint: `Served are: ${source.names.join(', ')}.`,
    });
  };
  return {
    path: NOTEBOOK_PATH,
    under: NOTEBOOKS_PATH,
    async show(request) {
      const { viewer, query, signal } = request;
      const name = nameIn(query.get('name'));
      const facts = await source.facts(name);
      const wanted = (query.get('query') ?? '').trim().slice(0, MAX_QUERY);
      const found = wanted === '' || !facts.index ? undefined : await source.search(name, wanted, signal);
      return {
        title: name,
        body: html`<section class="card"><p class="row">${reachBadge(facts)}${indexBadge(facts)}</p>${factsView(facts, viewer.isAdmin)}
${viewer.isAdmin && facts.index && rebuildForm(request, name)}</section>
${facts.index && searchForm(name, wanted)}
${found && hitsView(found, wanted)}
${viewer.isAdmin ? warningsView(facts.warnings) : html`<p class="quiet">${warningCount(facts.warnings)} An admin can read them here.</p>`}`,
      };
    },
    async post({ viewer, fields }) {
      if (!viewer.isAdmin)
        throw new AppError('forbidden', 'Only an admin can rebuild an index', {
          hint: 'Ask the person who runs this server; an admin can make you one on the page People.',
        });
      const name = nameIn(fields.get('name'));
      if (fields.get('action') !== 'rebuild')
        throw new AppError('invalid_input', 'This form names no action that exists');
      await source.rebuild(name);
      return {
        to: linkTo(NOTEBOOK_PATH, { name }),
        notice: 'The index is being rebuilt. Searches still work meanwhile, a little slower.',
      };
    },
  };
}

function badge(label: string, isBad = false): Html {
  return html`<span class="badge${isBad && ' bad'}">${label}</span>`;
}

function reachBadge({ reach }: NotebookFacts): Html {
  return reach.isReached ? badge('reached') : badge('not reached', true);
}

function indexBadge({ index }: NotebookFacts): Html {
  if (!index) return badge('no index');
  if (index.unreadable > 0) return badge('index incomplete', true);
  return badge(index.pending > 0 ? 'indexing' : 'index complete');
}

function factsView(
  { store, place, isReadOnly, reach, index, historyBytes }: NotebookFacts,
  isAdmin: boolean,
): Html {
  return html`<dl><dt>Kept in</dt><dd>${store}${isReadOnly && ', read only'}${isAdmin && html`<div class="mono">${printable(place, 500)}</div>`}</dd>
<dt>Reached</dt><dd>${reach.isReached ? 'yes, known since' : 'no, since'} ${timeOf(reach.since)}${isAdmin && reach.problem !== undefined && html`<div>${printable(reach.problem, 500)}</div>`}</dd>
<dt>Notes</dt><dd>${index ? index.notes : 'not known'}</dd>
<dt>Index</dt><dd>${index ? indexText(index) : 'None: its tools use the search of the server.'}</dd>
<dt>Compared with the notes</dt><dd>${index?.comparedAt === undefined ? 'not known' : timeOf(index.comparedAt)}</dd>
<dt>Changes by others</dt><dd>${index ? watchText(index) : 'not known'}</dd>
<dt>History</dt><dd>${historyBytes === undefined ? 'none is kept' : sizeOf(historyBytes)}</dd></dl>`;
}

function indexText({ indexed, pending, unreadable }: NonNullable<NotebookFacts['index']>): string {
  return [
    `${indexed} indexed`,
    ...(pending > 0 ? [`${pending} to be read`] : []),
    ...(unreadable > 0 ? [`${unreadable} could not be read, and are tried again`] : []),
  ].join(', ');
}

function watchText({ isWatching }: NonNullable<NotebookFacts['index']>): string {
  return isWatching ? 'noticed as they happen' : 'noticed at the next search';
}

const UNITS = ['bytes', 'KB', 'MB', 'GB'] as const;

function sizeOf(bytes: number): string {
  const power = Math.min(UNITS.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3));
  const amount = bytes / 1000 ** power;
  return `${power === 0 ? bytes : amount.toFixed(1)} ${UNITS[power]}`;
}

function embeddingView(facts: EmbeddingFacts | undefined): Html | undefined {
  if (!facts) return undefined;
  const { isOn, isLearned, notes, isWorking, problem } = facts;
  const ofModel = notes
    ? `${notes.done} of ${notes.all} notes are embedded, in ${notes.passages} passages${isWorking ? '; the rest follows' : ''}.`
    : 'The model is not ready, so the second brain searches without it.';
  const on = isLearned ? 'What words mean is learned from the notes themselves.' : ofModel;
  return html`<section class="card"><h2>Search by meaning</h2>
<p>${isOn ? on : 'It is switched off (brain.embeddings).'}</p>
${notes && notes.all > 0 && html`<progress max="${notes.all}" value="${notes.done}" aria-label="Embedded notes">${notes.done} of ${notes.all}</progress>`}
${problem !== undefined && html`<p class="problem">${printable(problem, 300)}</p>`}</section>`;
}

function rebuildForm(request: PageRequest, name: string): Html {
  return formOf(
    request,
    NOTEBOOK_PATH,
    html`<input type="hidden" name="name" value="${name}"><p class="row"><button name="action" value="rebuild">Rebuild the index</button>
<span class="quiet">Reads every note again. Needed only when a search misses something that is there.</span></p>`,
  );
}

function searchForm(name: string, wanted: string): Html {
  return html`<h2>Search as an assistant does</h2>
<form method="get" action="${NOTEBOOK_PATH}" class="filters" role="search"><input type="hidden" name="name" value="${name}">
<div><label for="query">Words, or "a phrase"</label><input id="query" name="query" value="${wanted}" maxlength="${MAX_QUERY}" size="40"></div><button class="strong">Search</button></form>`;
}

function hitsView({ hits, total, warning }: NotebookHits, wanted: string): Html {
  return html`${warning !== undefined && html`<p class="note">${warning}</p>`}
${
  hits.length === 0
    ? html`<p class="note">Nothing fits “${wanted}”. Fewer or other words may.</p>`
    : html`<p>${total === 1 ? 'One note fits' : `${total} notes fit`}${total > hits.length && `; the best ${hits.length} are what an assistant gets first`}.</p>
<ol class="plain">${hits.map((hit, at) => hitView(hit, at + 1))}</ol>`
}`;
}

function hitView({ path, title, excerpt, match, score, parts, count, line }: SearchHit, rank: number): Html {
  const [start, end] = match ? [match.start, match.end] : [0, 0];
  return html`<li class="card"><div class="row"><h3>${rank}. ${printable(title, 200)}</h3><span class="badge">score ${scoreOf(score)}</span></div>
<p class="mono quiet">${printable(path, 500)}${line !== undefined && `:${line}`} · ${count} ${count === 1 ? 'place' : 'places'}</p>
<p>${excerpt.slice(0, start)}${end > start && html`<mark>${excerpt.slice(start, end)}</mark>`}${excerpt.slice(end)}</p>
${parts ? partsView(parts) : html`<p class="quiet">Why it ranks here is not known: the note is not indexed yet, and its score is an estimate.</p>`}</li>`;
}

function partsView({ words, name, literal, others }: ScoreParts): Html {
  const rows = [
    ...words.map((one) => [`has “${one.word}” ${placesOf(one)}`, one.score] as const),
    ...(name > 0 ? [['is the title or an alias', name] as const] : []),
    ...(literal > 0 ? [['has the query as it was written', literal] as const] : []),
    ...(others > 0 ? [['has the words together, or words that the best notes use', others] as const] : []),
  ];
  if (rows.length === 0)
    return html`<p class="quiet">It has the query inside a longer word, which adds nothing to the score.</p>`;
  return html`<table><caption class="quiet">Why it ranks here</caption><thead><tr><th scope="col">Because the note</th><th scope="col">Score</th></tr></thead>
<tbody>${rows.map(([why, part]) => html`<tr><td>${why}</td><td>${scoreOf(part)}</td></tr>`)}</tbody></table>`;
}

function placesOf({ fields }: WordScore): string {
  if (fields.length === 0) return '';
  return `in the ${fields.map(({ field, count }) => `${field}${count > 1 ? ` (${count}×)` : ''}`).join(', ')}`;
}

function scoreOf(score: number): string {
  return score.toFixed(score >= 100 ? 0 : 2);
}

function warningsView(warnings: readonly NotebookWarning[]): Html {
  return html`<h2>Last warnings and errors</h2>
${
  warnings.length === 0
    ? html`<p class="note">None since this server was started.</p>`
    : html`<ul class="plain rows">${warnings.map(({ at, message, details }) => html`<li><div class="row"><b>${printable(message, 300)}</b><span class="end quiet">${timeOf(at)}</span></div><p class="mono quiet">${printable(details, 1_000)}</p></li>`)}</ul>`
}`;
}

function warningCount({ length }: readonly NotebookWarning[]): string {
  if (length === 0) return 'There were no warnings since this server was started.';
  return length === 1 ? 'There was one warning.' : `There were ${length} warnings.`;
}
