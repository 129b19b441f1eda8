/**
 * `quire mcp read-resource <server> <uri>` prints or saves a resource of a server; `quire mcp compile-resource` keeps it as
 * a note of the operator's.
 */
import { createHash } from 'node:crypto';
import { join, relative, resolve, sep } from 'node:path';
import { recordFileChange } from '../../app/change-tracking.ts';
import type { Config, NotebookConfig } from '../../config/schema.ts';
import type { CallAnswer } from '../../governance/call.ts';
import { compileResource as compile } from '../../governance/compile-resource.ts';
import type { Plane } from '../../governance/plane.ts';
import { AppError } from '../../shared/errors.ts';
import { stateFolderOf } from '../../shared/fs/errno.ts';
import { fromHome } from '../../shared/fs/folder.ts';
import { silentLog } from '../../shared/log.ts';
import { printable, printableText } from '../../shared/printable.ts';
import { recordOf } from '../../shared/records.ts';
import { APPROVAL_OPTIONS, callApproved } from './call.ts';
import { type McpCall, type McpCommand, numberOf, plainOutput, SERVER } from './command.ts';
import { noteConfinement, operatorName, withPlane, writeNewFile } from './plane.ts';

interface ResourcePart {
  readonly uri: string;
  readonly mime: string;
  readonly bytes: Buffer;
  readonly text?: string;
}

const MAX_BYTES = 104_857_600;

export const readResource: McpCommand = {
  name: 'read-resource',
  summary: 'read a resource of a server',
  arguments: [
    SERVER,
    { name: 'uri', description: 'as discover lists it, or one that a template stands for' },
  ],
  options: [
    { flag: '--out <file>', description: 'write it to a new file instead' },
    { flag: '--max-bytes <n>', description: 'refuse what is larger' },
    ...APPROVAL_OPTIONS,
  ],
  examples: [
    ['read-resource docs file:///readme.md', 'print it'],
    ['read-resource docs file:///logo.png --out logo.png', 'save it'],
  ],
  run: (call) =>
    withPlane(call, async (plane) => {
      const { maxBytes, out } = call.options;
      const most = numberOf('--max-bytes', maxBytes, { min: 1, max: MAX_BYTES }) ?? MAX_BYTES;
      await noteSandboxOf(plane, call);
      const answered = await callApproved(
        plane,
        {
          server: call.args.server ?? '',
          kind: 'resource',
          name: call.args.uri ?? '',
          args: {},
          by: operatorName(),
          signal: call.signal,
          timeoutMs: call.timeoutMs,
          // A file has the bytes of the resource.
          ...(typeof out === 'string' && { unfenced: true as const }),
        },
        call,
      );
      const parts = partsOf(answered);
      assertSmall(parts, most);
      const isSaved = typeof out === 'string';
      if (isSaved) await save(parts, resolve(call.workingFolder, fromHome(out)));
      return plainOutput(
        { contents: parts.map((part) => dataOf(part, isSaved)), out: isSaved ? out : null },
        ...parts.map((part) => lineOf(part, isSaved)),
      );
    }),
};

/** Resolves to the server's name. */
async function noteSandboxOf(plane: Pick<Plane, 'server' | 'verdict'>, call: McpCall): Promise<string> {
  const server = plane.server(call.args.server ?? '');
  noteConfinement(call, server, (await plane.verdict(server)).confinement);
  return server.name;
}

function partsOf({ result }: CallAnswer): ResourcePart[] {
  const contents = Array.isArray(result.contents) ? result.contents : [];
  return contents.map(recordOf).map(({ uri, mimeType, text, blob }) => ({
    uri: String(uri ?? ''),
    mime: String(mimeType ?? (typeof text === 'string' ? 'text/plain' : 'application/octet-stream')),
    bytes: typeof text === 'string' ? Buffer.from(text) : Buffer.from(String(blob ?? ''), 'base64'),
    text: typeof text === 'string' ? text : undefined,
  }));
}

function assertSmall(parts: readonly ResourcePart[], most: number): void {
  const bytes = parts.reduce((sum, part) => sum + part.bytes.length, 0);
  if (bytes <= most) return;
  throw new AppError('invalid_input', 'The resource is too large', {
    subject: `${bytes} bytes`,
    hint: `The limit is ${most}. Give a larger --max-bytes.`,
  });
}

async function save(parts: readonly ResourcePart[], path: string): Promise<void> {
  const [only, ...others] = parts;
  if (only === undefined || others.length > 0)
    throw new AppError('unsupported', 'Only a resource of one part can be saved', {
      subject: `${parts.length} parts`,
      hint: 'Remove --out, or use --json.',
    });
  await writeNewFile(path, only.bytes);
}

function hashOf({ bytes }: ResourcePart): string {
  return createHash('sha256').update(bytes).digest('hex');
}

function lineOf(part: ResourcePart, isSaved: boolean): string {
  if (part.text !== undefined && !isSaved) return printableText(part.text);
  return `${printable(part.mime, 100)}, ${part.bytes.length} bytes, sha256 ${hashOf(part)}`;
}

function dataOf(part: ResourcePart, isSaved: boolean) {
  const { uri, mime, bytes, text } = part;
  return { uri, mime, bytes: bytes.length, sha256: hashOf(part), text: isSaved ? null : (text ?? null) };
}

const MAX_TAGS = 50;
/** The folder of a notebook that notes go to without `--dest`. */
const FOLDER = 'mcp';

export const compileResource: McpCommand = {
  name: 'compile-resource',
  summary: 'keep a resource of a reviewed server as a note, once that is approved',
  arguments: [SERVER, { name: 'uri', description: 'the resource' }],
  options: [
    { flag: '--title <text>', description: "the note's title" },
    { flag: '--tags <list>', description: 'tags, with commas between them' },
    {
      flag: '--dest <folder>',
      description: 'where the note goes; mcp/<server> in the notebook when left out',
    },
    { flag: '--allow-findings', description: 'keep text that might mislead a model, as quoted text' },
    { flag: '--dry-run', description: 'read and judge it, write nothing' },
  ],
  examples: [
    [
      'compile-resource docs file:///guide.md --title Guide --tags work,guides',
      'a note of it, after an approval',
    ],
    ['compile-resource docs file:///guide.md --dry-run', 'what would become of it'],
  ],
  run: (call) =>
    withPlane(call, async (plane, config) => {
      const server = await noteSandboxOf(plane, call);
      const { title, allowFindings } = call.options;
      const dryRun = call.options.dryRun === true;
      const outcome = await compile(plane, {
        server,
        uri: call.args.uri ?? '',
        folder: folderOf(call, config, server),
        title: typeof title === 'string' && title.trim() !== '' ? title : undefined,
        tags: tagsOf(call.options.tags),
        by: operatorName(),
        allowFindings: allowFindings === true,
        dryRun,
        signal: call.signal,
        record: (note, write) => recordFileChange(config, note, recordedAs(call), write),
      });
      if (outcome.findings.length > 0)
        call.note(`Found in the text: ${[...new Set(outcome.findings.map(({ code }) => code))].join(', ')}`);
      const { status, path, chunks, sha256, findings } = outcome;
      return plainOutput(
        { status, dry_run: dryRun, path, chunks, sha256, findings },
        `${dryRun ? 'dry run: ' : ''}${status} ${path} ${chunks} ${sha256}`,
      );
    }),
};

function recordedAs(call: McpCall) {
  const by = { principal: operatorName(), client: 'quire mcp' };
  return { stateFolder: stateFolderOf(call.environment), tool: 'compile-resource', by, log: silentLog };
}

function folderOf({ options, workingFolder }: McpCall, config: Config, server: string): string {
  const notebooks = Object.values(config.notebooks);
  const folder =
    typeof options.dest === 'string' && options.dest !== ''
      ? resolve(workingFolder, fromHome(options.dest))
      : join(onlyFolder(notebooks), FOLDER, server);
  const closed = notebooks.find(
    (one) => one.readOnly && one.folder !== undefined && isWithin(folder, one.folder),
  );
  if (!closed) return folder;
  throw new AppError('read_only', 'The notebook there is read-only', {
    subject: folder,
    hint: 'Choose another folder with --dest.',
  });
}

function onlyFolder(notebooks: readonly NotebookConfig[]): string {
  const folders = notebooks.flatMap(({ folder }) => folder ?? []);
  if (folders.length === 1 && folders[0]) return folders[0];
  throw new AppError(
    'invalid_input',
    folders.length === 0 ? 'No notebook is a folder' : 'Several notebooks are folders',
    {
      subject: folders.length > 0 ? folders.slice(0, 5).join(', ') : undefined,
      hint: 'Say where the note goes: --dest <folder>.',
    },
  );
}

function isWithin(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way !== '..' && !way.startsWith(`..${sep}`);
}

function tagsOf(given: unknown): string[] {
  const tags = typeof given === 'string' ? given.split(',').map((tag) => printable(tag, 100)) : [];
  const named = [...new Set(tags.filter((tag) => tag !== ''))];
  if (named.length <= MAX_TAGS) return named;
  throw new AppError('invalid_input', `At most ${MAX_TAGS} tags`, { subject: `${named.length}` });
}
