/** The audit log of the governed servers, newest first, with a search, and the check of its hash chain. */
import type { AuditRecord } from '../../../governance/audit/audit.ts';
import { AppError } from '../../../shared/errors.ts';
import { type Html, html } from '../../../shared/html.ts';
import { printable } from '../../../shared/printable.ts';
import type { ChainReport } from '../../../state/chain-read.ts';
import { type ConsolePage, formOf, linkTo, type PageRequest, timeOf } from '../../page.ts';
import { APPROVAL_PATH, AUDIT_PATH, badgeOf, type PlaneSource, planeLinks, SERVERS_PATH } from './source.ts';

const PAGE_SIZE = 50;
/** How long one page searches before it shows what it has, and where to go on. */
const SEARCH_MS = 1_500;
const VERIFY_MS = 20_000;
const FILTERS = ['server', 'tool', 'actor', 'outcome', 'text', 'call'] as const;

type Filter = Readonly<Partial<Record<(typeof FILTERS)[number], string>>>;

interface Verification {
  readonly report: ChainReport;
  readonly at: number;
  readonly by: string;
}

export function auditPage(source: PlaneSource): ConsolePage {
  const { audit, now } = source.plane;
  let last: Verification | undefined;
  return {
    path: AUDIT_PATH,
    under: SERVERS_PATH,
    isForAdmins: true,
    async show(request) {
      const filter = filterOf(request.query);
      const before = Number(request.query.get('before')) || undefined;
      const found = await search(audit.readBack({ before }), filter);
      return {
        title: filter.call === undefined ? 'Audit log' : 'One call in the audit log',
        body: html`${await planeLinks(source, AUDIT_PATH)}
<p class="quiet">What assistants asked of other servers, what was decided, and what came of it. Arguments are here by their names and types only, never by their values.</p>
${verifyView(request, last)}
${filterForm(filter)}
${tableOf(found.records, filter.call !== undefined)}
${moreView(filter, found, before)}`,
      };
    },
    async post({ viewer }) {
      const report = await audit.verify({ signal: AbortSignal.timeout(VERIFY_MS) }).catch(orTooLong);
      last = { report, at: now(), by: viewer.user };
      const notice = report.isWhole ? 'The log is intact.' : 'The log is not intact: see below.';
      return { to: AUDIT_PATH, notice };
    },
  };
}

function orTooLong(error: unknown): never {
  if (!(error instanceof DOMException && error.name === 'TimeoutError')) throw error;
  throw new AppError('timeout', 'The log is too long to be checked here', {
    hint: `It was not done after ${VERIFY_MS / 1000} seconds. quire mcp doctor checks it in the terminal, however long it takes.`,
  });
}

function filterOf(query: URLSearchParams): Filter {
  const given = FILTERS.map((name) => [name, (query.get(name) ?? '').trim().slice(0, 200)] as const);
  return Object.fromEntries(given.filter(([, value]) => value !== ''));
}

interface Found {
  readonly records: readonly AuditRecord[];
  /** The last record that was looked at, when there may be more. */
  readonly next: AuditRecord | undefined;
}

async function search(records: AsyncIterable<AuditRecord>, filter: Filter): Promise<Found> {
  const begun = performance.now();
  const found: AuditRecord[] = [];
  for await (const record of records) {
    if (fits(record, filter)) found.push(record);
    if (found.length === PAGE_SIZE || performance.now() - begun > SEARCH_MS)
      return { records: found, next: record };
  }
  return { records: found, next: undefined };
}

function fits(record: AuditRecord, { server, tool, actor, outcome, text, call }: Filter): boolean {
  const has = (field: string, wanted: string | undefined) =>
    wanted === undefined || fold(textOf(record, field)).includes(fold(wanted));
  return (
    (call === undefined || textOf(record, 'call') === call) &&
    has('server', server) &&
    has('capability', tool) &&
    has('by', actor) &&
    has('outcome', outcome) &&
    (text === undefined || fold(JSON.stringify(record)).includes(fold(text)))
  );
}

function fold(text: string): string {
  return text.toLowerCase();
}

/** A record holds other fields for each event. */
function textOf(record: AuditRecord, field: string): string {
  const value = (record as Readonly<Record<string, unknown>>)[field];
  return typeof value === 'string' ? value : '';
}

const LABELS: Readonly<Record<(typeof FILTERS)[number], string>> = {
  server: 'Server',
  tool: 'Tool',
  actor: 'Who',
  outcome: 'Outcome',
  text: 'Any text',
  call: 'Call',
};

function filterForm(filter: Filter): Html {
  const shown = FILTERS.filter((name) => name !== 'call' || filter.call !== undefined);
  return html`<form method="get" action="${AUDIT_PATH}" class="filters" role="search">${shown.map(
    (name) =>
      html`<div><label for="f-${name}">${LABELS[name]}</label><input id="f-${name}" name="${name}" value="${filter[name] ?? ''}" maxlength="200"></div>`,
  )}<button>Search</button>${Object.keys(filter).length > 0 && html`<a class="button" href="${AUDIT_PATH}">Show all</a>`}</form>`;
}

function tableOf(records: readonly AuditRecord[], isWhole: boolean): Html {
  if (records.length === 0)
    return html`<p class="note">No record matches. A record is made with the first call of an assistant.</p>`;
  return html`<div class="wide"><table class="stacked"><thead><tr><th scope="col">When</th><th scope="col">What</th><th scope="col">Server and tool</th><th scope="col">Details</th></tr></thead>
<tbody>${records.map((record) => rowOf(record, isWhole))}</tbody></table></div>`;
}

const EVENT_WORDS: Readonly<Record<AuditRecord['event'], string>> = {
  proposed: 'asked for',
  decided: 'decided',
  started: 'started',
  returned: 'ended',
  compiled: 'kept as a note',
  nested: 'questions of a server',
  load: 'left messages out',
  network: 'used the network',
  asked: 'a server asked',
  answered: 'a person answered',
  accepted: 'a person accepted',
  switched: 'a person switched',
  removed: 'a person removed',
  observed: 'seen to change something',
  consented: 'a person consented',
  waived: 'a check was waived',
  policy_changed: 'the policy changed',
  acknowledged: 'a person acknowledged a changed log',
  sealed: 'sealed from here on',
};
/** Shown in columns of their own. */
const ELSEWHERE: readonly string[] = ['seq', 'time', 'event', 'server', 'capability', 'outcome'];
/** Of use only to a reader who looks at one call. */
const FINE_PRINT: readonly string[] = ['prev', 'call', 'kind', 'argsDigest', 'fingerprint', 'code', 'digest'];

function rowOf(record: AuditRecord, isWhole: boolean): Html {
  const call = textOf(record, 'call');
  const moment = Date.parse(record.time);
  const outcome = textOf(record, 'outcome');
  const isBad = ['deny', 'denied', 'tool_error', 'timeout', 'transport'].includes(outcome);
  const left = isWhole ? ELSEWHERE : [...ELSEWHERE, ...FINE_PRINT];
  const details = Object.entries(record).filter(([name]) => !left.includes(name));
  return html`<tr><td>${Number.isNaN(moment) ? 'not known' : timeOf(moment)}<div class="quiet">no. ${record.seq}</div></td>
<td>${EVENT_WORDS[record.event]}${outcome !== '' && html` ${badgeOf({ label: printable(outcome, 40), isBad })}`}</td>
<td><b>${printable(textOf(record, 'capability'), 200)}</b><div class="quiet">${printable(textOf(record, 'server'), 100)}</div></td>
<td>${details.map((detail) => detailView(detail))}${call !== '' && !isWhole && html`<a href="${linkTo(AUDIT_PATH, { call })}">The whole call</a>`}</td></tr>`;
}

const DETAIL_WORDS: Readonly<Record<string, string>> = {
  by: 'who',
  argsShape: 'arguments',
  ms: 'milliseconds',
  note: 'comment',
  via: 'how',
};

function detailView([name, value]: readonly [string, unknown]): Html {
  const text = printable(typeof value === 'string' ? value : JSON.stringify(value), 400);
  const isApproval = name === 'approval';
  return html`<div class="quiet">${DETAIL_WORDS[name] ?? name}: ${isApproval ? html`<a class="mono" href="${linkTo(APPROVAL_PATH, { id: text })}">${text}</a>` : html`<span class="mono">${text}</span>`}</div>`;
}

function moreView(filter: Filter, { next, records }: Found, before: number | undefined): Html {
  const isEarly = next !== undefined && records.length < PAGE_SIZE;
  return html`${isEarly && html`<p class="note">Searched back to ${timeOf(Date.parse(next.time))}. There may be more before that.</p>`}
<p class="pages">${before !== undefined && html`<a href="${linkTo(AUDIT_PATH, filter)}">Newest</a>`}${next && html`<a href="${linkTo(AUDIT_PATH, { ...filter, before: next.seq })}">${isEarly ? 'Search on' : 'Older'}</a>`}</p>`;
}

function verifyView(request: PageRequest, last: Verification | undefined): Html {
  const form = formOf(
    request,
    AUDIT_PATH,
    html`<p class="row"><button>Check the log</button><span class="quiet">Each record has the hash of the one before, so that a later change shows.</span></p>`,
  );
  if (!last) return form;
  const { report, at, by } = last;
  const problems = report.problems.map(({ code, seq }) => html`<li>no. ${seq}: ${PROBLEMS[code]}</li>`);
  return html`${form}
<div class="${report.isWhole ? 'note' : 'problem'}"><p>${report.isWhole ? `Intact: ${report.lines} records, each follows from the one before.` : report.isUntold ? 'Whether this log was changed cannot be told here:' : 'This log was changed outside Quire:'} Checked ${timeOf(at)} by ${by}.</p>
${problems.length > 0 && html`<ul>${problems}</ul><p>Find out who can write to the state folder. quire mcp doctor says what to do with the log.</p>`}
${report.torn > 0 && html`<p>${report.torn} unfinished records at the end of a crash are known and harmless.</p>`}</div>`;
}

const PROBLEMS: Readonly<Record<ChainReport['problems'][number]['code'], string>> = {
  unreadable_line: 'cannot be read',
  wrong_number: 'is missing, or not in its place',
  broken_link: 'does not follow from the one before',
  start_missing: 'the records from here on are missing at the start',
  cut_short: 'the records from here on are missing at the end',
  end_changed: 'the last record was changed',
  end_unknown: 'the note of where the log ends is missing',
  end_forged: 'the note of where the log ends was not written by Quire',
  key_elsewhere: 'cannot be told: the key that sealed the log is not on this machine',
};
