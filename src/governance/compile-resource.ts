/** Compiles a resource into a note: reads it through the plane, and writes the note after an approval of exactly its text. */
import { join } from 'node:path';
import type { UpstreamServer } from '../config/control-plane.ts';
import { AppError } from '../shared/errors.ts';
import { printable } from '../shared/printable.ts';
import { proposalOf } from './audit/audit.ts';
import { type CallContext, callCapability } from './call.ts';
import { isHard } from './catalog/scan/scan.ts';
import { readOwnFile, writeOwnFile } from './files.ts';
import { entryFor } from './judge-call.ts';
import type { Plane } from './plane.ts';
import { approvalRule } from './policy/decide.ts';
import {
  type CompiledNote,
  type CompiledResource,
  fileNameOf,
  noteOf,
  ownershipOf,
  textIn,
} from './resource-note.ts';
import { isTrusted, type ScanFinding } from './types.ts';

type CompileContext = CallContext & Pick<Plane, 'now'>;

interface CompileRequest {
  readonly server: string;
  readonly uri: string;
  /** Absolute. */
  readonly folder: string;
  readonly title?: string;
  readonly tags: readonly string[];
  readonly by: string;
  readonly allowFindings: boolean;
  readonly dryRun: boolean;
  readonly signal?: AbortSignal;
  /** Records the change before `write` makes it. */
  readonly record: (note: RecordedNote, write: () => Promise<void>) => Promise<void>;
}

export interface RecordedNote {
  /** Absolute. */
  readonly path: string;
  /** Undefined for a new note. */
  readonly before?: string;
  readonly after: string;
}

type CompileStatus = 'created' | 'updated' | 'unchanged';

interface CompileOutcome extends Omit<CompiledNote, 'text'> {
  readonly status: CompileStatus;
  readonly path: string;
  readonly findings: readonly ScanFinding[];
}

const MAX_NOTE_BYTES = 128 * 1024 * 1024;

/** Throws `approval_required` until the note is approved. */
export async function compileResource(
  plane: CompileContext,
  request: CompileRequest,
): Promise<CompileOutcome> {
  const server = plane.server(request.server);
  assertReviewed(server);
  const compiled = await fetchResource(plane, server, request);
  const path = join(request.folder, fileNameOf(server.name, compiled.uri));
  const before = await readOwnFile(path, MAX_NOTE_BYTES);
  const { status, note } = planNote(compiled, { path, before });
  const { text, ...facts } = note;
  const outcome = { status, path, findings: compiled.findings, ...facts };
  if (request.dryRun || status === 'unchanged') return outcome;
  const write = () => request.record({ path, before, after: text }, () => writeOwnFile(path, text, before));
  await writeApproved(plane, { server, request: { ...request, uri: compiled.uri }, outcome, write });
  return outcome;
}

function assertReviewed({ name, trust }: UpstreamServer): void {
  if (isTrusted(trust)) return;
  throw new AppError('forbidden', 'Only a reviewed server may write notes', {
    subject: `${name} is ${trust}`,
    hint: `Look it over with quire mcp discover ${name}, then set its trust to reviewed.`,
    reason: 'trust',
  });
}

async function fetchResource(
  plane: CompileContext,
  server: UpstreamServer,
  request: CompileRequest,
): Promise<CompiledResource> {
  const { by, title, tags, signal } = request;
  const {
    result,
    findings,
    sent: uri,
  } = await callCapability(plane, {
    server: server.name,
    kind: 'resource',
    name: request.uri,
    args: {},
    by,
    signal,
    // The note has a fence of its own.
    unfenced: true,
  });
  const text = textIn(result, uri);
  if (isHard(findings) && !request.allowFindings) throw dangerous(uri, findings);
  const fetchedAt = new Date(plane.now()).toISOString();
  const { name, trust } = server;
  return { server: name, uri, trust, fetchedAt, by, tags, text, findings, title: title || undefined };
}

function dangerous(uri: string, findings: readonly ScanFinding[]): AppError {
  const hard = findings.filter(({ severity }) => severity === 'hard');
  return new AppError('forbidden', 'The text holds instructions that a model might follow', {
    subject: printable(`${uri}: ${hard.map(({ code, excerpt }) => `${code} (${excerpt})`).join(', ')}`, 500),
    hint: 'Read it, then add --allow-findings: it is kept as quoted, untrusted text.',
    reason: 'findings',
  });
}

/** A note that differs only in its time of fetching is left alone. */
function planNote(
  compiled: CompiledResource,
  { path, before }: { path: string; before: string | undefined },
): { status: CompileStatus; note: CompiledNote } {
  if (before === undefined) return { status: 'created', note: noteOf(compiled) };
  const standing = ownershipOf(before, compiled);
  if (standing.kind !== 'ours')
    throw new AppError(
      'already_exists',
      `The note there ${standing.kind === 'edited' ? 'was edited' : 'is another one'}`,
      {
        subject: path,
        hint: 'Nothing was written. Move that note away, or choose another folder with --dest.',
      },
    );
  const same = noteOf({ ...compiled, fetchedAt: standing.fetchedAt, by: standing.by });
  return same.text === before
    ? { status: 'unchanged', note: same }
    : { status: 'updated', note: noteOf(compiled) };
}

interface NoteWrite {
  readonly server: UpstreamServer;
  readonly request: CompileRequest;
  readonly outcome: CompileOutcome;
  readonly write: () => Promise<void>;
}

async function writeApproved(
  plane: CallContext,
  { server, request, outcome, write }: NoteWrite,
): Promise<void> {
  const { uri, by, title, tags } = request;
  const args = { uri, path: outcome.path, sha256: outcome.sha256, tags, title: title || undefined };
  const subject = { server: server.name, capability: uri, class: 'local_write', args } as const;
  const { call, proposed } = proposalOf({ ...subject, kind: 'resource', by });
  await plane.audit.record(proposed);
  const entry = await entryFor(plane, server, { kind: 'resource', name: uri });
  const claim = await plane.approvals.claim(
    {
      kind: 'compile',
      ...subject,
      fingerprint: entry?.fingerprint ?? '',
      policyVersion: plane.policyVersion,
      requestedBy: by,
      session: plane.session,
    },
    async ({ id }) => id,
  );
  const approval = claim.approval.id;
  const isApproved = claim.outcome === 'started';
  await plane.audit.record({
    event: 'decided',
    ...call,
    outcome: isApproved ? 'allow' : claim.outcome === 'denied' ? 'deny' : 'ask',
    code: isApproved ? 'approval' : `compile_${claim.outcome}`,
    rule: isApproved ? approvalRule(approval) : 'compile',
    approval,
  });
  if (!isApproved) throw notApproved(claim.outcome, approval, outcome);
  await write();
  const { status, sha256 } = outcome;
  await plane.audit.record({ event: 'compiled', ...call, approval, status, sha256 });
}

function notApproved(
  outcome: 'pending' | 'denied' | 'expired',
  id: string,
  { path, sha256 }: CompileOutcome,
): AppError {
  if (outcome === 'denied')
    return new AppError('forbidden', 'This note was denied', {
      subject: path,
      hint: `quire mcp approvals show ${id} says who and why.`,
      reason: 'approval_denied',
      details: { approval: id },
    });
  return new AppError('approval_required', 'This note needs an approval', {
    subject: `${path}, sha256 ${sha256}`,
    hint: `Look at it with quire mcp approvals show ${id}, approve it with quire mcp approvals approve ${id}, then run this again.`,
    reason: outcome === 'expired' ? 'approval_expired' : 'approval_required',
    details: { approval: id },
  });
}
