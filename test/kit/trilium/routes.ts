/** Every address of ETAPI, and since which version it is there. */
import { type Answer, type FakeRequest, noRoute } from './answer.ts';
import * as attachments from './attachments.ts';
import * as attributes from './attributes.ts';
import { assertAuthenticated, login, logout } from './auth.ts';
import * as branches from './branches.ts';
import * as calendar from './calendar.ts';
import * as notes from './notes.ts';
import * as revisions from './revisions.ts';
import { searchNotes } from './search/search.ts';
import * as system from './system.ts';
import { exportNote, importZip } from './transfer.ts';
import type { Trilium } from './trilium.ts';

type Handler = (trilium: Trilium, asked: FakeRequest) => Answer;

/** `:` stands for one part of the path. */
const ROUTES: readonly (readonly [route: string, handler: Handler, since?: string])[] = [
  ['POST auth/logout', logout],
  ['POST create-note', notes.createNote],
  ['GET notes', searchNotes],
  ['GET notes/history', notes.history, '0.102'],
  ['GET notes/:', notes.getNote],
  ['PATCH notes/:', notes.patchNote],
  ['DELETE notes/:', notes.removeNote],
  ['GET notes/:/content', notes.getContent],
  ['PUT notes/:/content', notes.putContent],
  ['GET notes/:/export', exportNote],
  ['POST notes/:/import', importZip],
  ['POST notes/:/revision', notes.postRevision],
  ['GET notes/:/revisions', revisions.listRevisions, '0.102'],
  ['POST notes/:/undelete', notes.undelete, '0.102'],
  ['GET notes/:/attachments', attachments.listAttachments, '0.102'],
  ['GET revisions/:', revisions.getRevision, '0.102'],
  ['GET revisions/:/content', revisions.getRevisionContent, '0.102'],
  ['POST branches', branches.postBranch],
  ['GET branches/:', branches.getBranch],
  ['PATCH branches/:', branches.patchBranch],
  ['DELETE branches/:', branches.removeBranch],
  ['POST refresh-note-ordering/:', branches.refreshOrdering],
  ['POST attributes', attributes.postAttribute],
  ['GET attributes/:', attributes.getAttribute],
  ['PATCH attributes/:', attributes.patchAttribute],
  ['DELETE attributes/:', attributes.removeAttribute],
  ['POST attachments', attachments.postAttachment],
  ['GET attachments/:', attachments.getAttachment],
  ['PATCH attachments/:', attachments.patchAttachment],
  ['DELETE attachments/:', attachments.removeAttachment],
  ['GET attachments/:/content', attachments.getAttachmentContent],
  ['PUT attachments/:/content', attachments.putAttachmentContent],
  ['GET inbox/:', calendar.getInbox],
  ['GET calendar/days/:', calendar.getDay],
  ['GET calendar/week-first-day/:', calendar.getWeekFirstDay, '0.93'],
  ['GET calendar/weeks/:', calendar.getWeek],
  ['GET calendar/months/:', calendar.getMonth],
  ['GET calendar/years/:', calendar.getYear],
  ['PUT backup/:', system.backup],
  ['GET app-info', system.appInfo],
  ['GET metrics', system.metrics, '0.94'],
];

const PATTERNS = ROUTES.map(([route, handler, since = '0']) => {
  const [method = '', path = ''] = route.split(' ');
  return { method, handler, since, pattern: new RegExp(`^/etapi/${path.replaceAll(':', '([^/]+)')}$`) };
});

export function answerTo(trilium: Trilium, asked: FakeRequest): Answer {
  const { method, path } = asked;
  if (method === 'POST' && path === '/etapi/auth/login') return login(trilium, asked);
  if (method === 'GET' && path === '/etapi/etapi.openapi.yaml') return system.openApi();
  for (const route of PATTERNS) {
    const found = route.method === method ? route.pattern.exec(path) : null;
    if (!found) continue;
    if (!trilium.isAtLeast(route.since)) throw noRoute(asked);
    assertAuthenticated(trilium, asked);
    return route.handler(trilium, { ...asked, params: found.slice(1).map(decodeURIComponent) });
  }
  throw noRoute(asked);
}
