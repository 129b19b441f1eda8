/** `quire mcp read-resource <server> <uri>`: the text of a resource, or what a blob is. */
import { createHash } from 'node:crypto';
import { resolve } from 'node:path';
import type { CallAnswer } from '../../governance/call.ts';
import { AppError } from '../../shared/errors.ts';
import { printable, printableText } from '../../shared/printable.ts';
import { APPROVAL_OPTIONS, callApproved, fieldsOf } from './approved-call.ts';
import { decisionLine, noteFindings } from './call.ts';
import type { McpCommand } from './command.ts';
import { writeNewFile } from './files.ts';
import { operatorName, withPlane } from './plane.ts';

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
    { name: 'server', description: 'its name in the configuration' },
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
  config: 'needed',
  run: (call) =>
    withPlane(call, async (plane) => {
      const most = maxBytesOf(call.options.maxBytes);
      const answered = await callApproved(
        plane,
        {
          server: call.args.server ?? '',
          kind: 'resource',
          name: call.args.uri ?? '',
          args: {},
          by: operatorName(call),
          signal: call.signal,
          timeoutMs: call.timeoutMs,
        },
        call,
      );
      call.note(decisionLine(answered));
      noteFindings(answered, call);
      const parts = partsOf(answered);
      assertSmall(parts, most);
      const { out } = call.options;
      if (typeof out === 'string') await save(parts, resolve(call.workingFolder, out));
      const isSaved = typeof out === 'string';
      return {
        data: { contents: parts.map((part) => dataOf(part, isSaved)), out: isSaved ? out : null },
        lines: () => ({ lines: parts.map((part) => lineOf(part, isSaved)) }),
      };
    }),
};

function maxBytesOf(given: unknown): number {
  if (given === undefined) return MAX_BYTES;
  const most = /^\d{1,9}$/.test(String(given)) ? Number(given) : 0;
  if (most >= 1 && most <= MAX_BYTES) return most;
  throw new AppError('invalid_input', `--max-bytes must be a whole number, 1 to ${MAX_BYTES}`);
}

function partsOf({ result }: CallAnswer): ResourcePart[] {
  const contents = Array.isArray(result.contents) ? result.contents : [];
  return contents.map(fieldsOf).map(({ uri, mimeType, text, blob }) => ({
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
      hint: 'Leave --out out, or use --json.',
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
