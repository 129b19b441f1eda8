/** The governed servers: whether each can be used, and why not. */
import { bareWarning, confinementText } from '../../../governance/confinement-view.ts';
import { reviewOf, type ServerReview } from '../../../governance/posture.ts';
import { type Html, html } from '../../../shared/html.ts';
import { type ConsolePage, timeOf } from '../../page.ts';
import { badgeOf, type PlaneSource, planeLinks, SERVERS_PATH, serverLink, standingOf } from './source.ts';

/** Starts no server. */
export function serversPage(source: PlaneSource): ConsolePage {
  const { plane } = source;
  return {
    path: SERVERS_PATH,
    menu: 'Servers',
    isForAdmins: true,
    async show() {
      const reviews = await Promise.all(plane.config.servers.map((server) => reviewOf(plane, server)));
      return {
        title: 'Servers',
        body: html`${await planeLinks(source, SERVERS_PATH)}
<p>Other MCP servers that assistants reach through Quire, under your rules.</p>
${
  reviews.length === 0
    ? html`<p class="note">No server is configured. <code>quire mcp marketplace</code> lists some, and adds one with <code>add</code>.</p>`
    : html`<ul class="plain">${reviews.map((review) => rowOf(review, source))}</ul>`
}`,
      };
    },
  };
}

function rowOf(review: ServerReview, { plane, failureOf }: PlaneSource): Html {
  const { server, seenAt } = review;
  const standing = standingOf(review, failureOf(server.name), plane.config.serversKey);
  const bare = bareWarning(review.confinement);
  return html`<li class="card"><div class="row"><h2>${serverLink(server.name)}</h2>${badgeOf(standing)}
<span class="end quiet">${seenAt === undefined ? 'never listed' : html`listed ${timeOf(seenAt)}`}</span></div>
${standing.reason !== undefined && html`<p>${standing.reason}</p>`}
${bare !== undefined && server.enabled && html`<p><span class="badge bad">no sandbox</span> ${bare}</p>`}
<p class="quiet">${factsOf(review)}</p></li>`;
}

function factsOf({ server, confinement, entries, seenAt }: ServerReview): string {
  const tools = entries.filter(({ definition }) => definition.kind === 'tool');
  const open = tools.filter(({ state }) => state !== 'approved').length;
  const counted = `${tools.length} ${tools.length === 1 ? 'tool' : 'tools'}`;
  return [
    transportOf(server.transport),
    seenAt === undefined ? 'tools: not known' : counted + (open > 0 ? `, ${open} not accepted` : ''),
    `trust: ${server.trust}`,
    `consent: ${server.clientConsent}`,
    ...(server.transport === 'stdio' ? [`sandbox: ${confinementText(server, confinement)}`] : []),
    server.expose ? 'offered to assistants' : 'not offered to assistants',
  ].join(' · ');
}

export function transportOf(transport: ServerReview['server']['transport']): string {
  return transport === 'stdio' ? 'a program on this machine (stdio)' : 'over HTTP';
}
