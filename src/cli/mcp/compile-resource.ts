/** `quire mcp compile-resource <server> <uri>`: a resource of another server as a note of yours. */
import { join, relative, resolve, sep } from 'node:path';
import { mcpCommand } from '../../config/commands/notebook.ts';
import { loadConfig } from '../../config/load.ts';
import type { NotebookConfig } from '../../config/schema.ts';
import { type CompileOutcome, compileResource as compile } from '../../governance/compile-resource.ts';
import { AppError } from '../../shared/errors.ts';
import { printable } from '../../shared/printable.ts';
import type { McpCall, McpCommand } from './command.ts';
import { operatorName, withPlane } from './plane.ts';

const MAX_TAGS = 50;
/** In a notebook, where nothing else is said. */
const FOLDER = 'mcp';

export const compileResource: McpCommand = {
  name: 'compile-resource',
  summary: 'keep a resource of a reviewed server as a note, once that is approved',
  arguments: [
    { name: 'server', description: 'its name in the configuration' },
    { name: 'uri', description: 'the resource' },
  ],
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
  config: 'needed',
  run: (call) =>
    withPlane(call, async (plane) => {
      const server = plane.server(call.args.server ?? '').name;
      const { title, allowFindings, dryRun } = call.options;
      const outcome = await compile(plane, {
        server,
        uri: call.args.uri ?? '',
        folder: await folderOf(call, server),
        title: typeof title === 'string' && title.trim() !== '' ? title : undefined,
        tags: tagsOf(call.options.tags),
        by: operatorName(call),
        allowFindings: allowFindings === true,
        dryRun: dryRun === true,
        signal: call.signal,
      });
      if (outcome.findings.length > 0)
        call.note(`Found in the text: ${[...new Set(outcome.findings.map(({ code }) => code))].join(', ')}`);
      return {
        data: dataOf(outcome, dryRun === true),
        lines: () => ({ lines: [lineOf(outcome, dryRun === true)] }),
      };
    }),
};

function lineOf({ status, path, chunks, sha256 }: CompileOutcome, isDry: boolean): string {
  return `${isDry ? 'dry run: ' : ''}${status} ${path} ${chunks} ${sha256}`;
}

function dataOf({ status, path, chunks, sha256, findings }: CompileOutcome, isDry: boolean) {
  return { status, dry_run: isDry, path, chunks, sha256, findings };
}

async function folderOf(
  { config: file, environment, options, workingFolder }: McpCall,
  server: string,
): Promise<string> {
  const config = await loadConfig({ door: mcpCommand, flags: {}, env: environment, file: file?.path ?? '' });
  const notebooks = Object.values(config.notebooks);
  const folder =
    typeof options.dest === 'string' && options.dest !== ''
      ? resolve(workingFolder, options.dest)
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
