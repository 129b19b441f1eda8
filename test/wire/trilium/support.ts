/** What the wire tests of the Trilium tools share: a fake Trilium, and a client of the tools in front of it. */
import { expect } from 'vitest';
import { limitSurface } from '../../../src/mcp/limit-surface.ts';
import type { Called } from '../../../src/mcp/tool.ts';
import {
  appendedHtml as appended,
  editedHtml as edited,
} from '../../../src/notes/trilium-html/changed-html.ts';
import { cleanFile } from '../../../src/notes/trilium-html/clean-file.ts';
import { cleanHtml } from '../../../src/notes/trilium-html/clean-html.ts';
import { toHtml } from '../../../src/notes/trilium-html/to-html.ts';
import { toMarkdown } from '../../../src/notes/trilium-html/to-markdown.ts';
import {
  type Conversion,
  createTriliumBackend,
  type TriliumBackend,
} from '../../../src/surfaces/trilium/backend.ts';
import { triliumSurface } from '../../../src/surfaces/trilium/surface.ts';
import { type Answer, type Connected, connectTo, QUIET } from '../../kit/server.ts';
import type { SeedNote } from '../../kit/trilium/seed.ts';
import { type FakeOptions, type FakeTrilium, startTrilium } from '../../kit/trilium/server.ts';
import { clientFor } from '../../trilium/kit.ts';

export interface WithTrilium extends Connected {
  readonly fake: FakeTrilium;
  /** The answer, which has worked. */
  readonly ok: (tool: string, args?: Record<string, unknown>) => Promise<Answer>;
}

export interface Parts extends Omit<FakeOptions, 'notes'> {
  readonly subtree?: string;
  readonly readOnly?: boolean;
  readonly noDelete?: boolean;
  readonly conversion?: Conversion;
  readonly onCalled?: (called: Called) => void;
}

export const WEB = 'https://notes.example.com';

/** So plain that a test sees whether it was used, and on what. */
export const PLAIN: Conversion = {
  toHtml: (markdown) => `<md>${markdown.replace(/!\[[^\]]*\]\(([^)]*)\)/g, '<img src="$1">')}</md>`,
  toMarkdown: (html) => `md(${html})`,
  clean: (html) => html,
  edited: (_, after) => after,
  appended: (before, addition) => before + addition,
  cleanFile: (_, bytes) => bytes,
};

/** The one that is served. */
export const REAL: Conversion = { toHtml, toMarkdown, clean: cleanHtml, edited, appended, cleanFile };

export async function withTrilium(
  notes: readonly SeedNote[] = [],
  { subtree, readOnly = false, noDelete = false, conversion = PLAIN, onCalled, ...fakeOptions }: Parts = {},
): Promise<WithTrilium> {
  const fake = await startTrilium({ ...fakeOptions, notes });
  const backend = createTriliumBackend(clientFor(fake.url), { conversion, webBase: WEB, subtree });
  return { fake, ...(await connectTools(backend, { readOnly, noDelete, ...(onCalled && { onCalled }) })) };
}

/** The tools over any client. */
export async function connectTools(
  backend: TriliumBackend,
  { readOnly = false, noDelete = false, onCalled }: Pick<Parts, 'readOnly' | 'noDelete' | 'onCalled'> = {},
): Promise<Omit<WithTrilium, 'fake'>> {
  const connected = await connectTo(
    {
      limited: limitSurface(triliumSurface, { readOnly, noDelete }),
      backend,
      ...QUIET,
      ...(onCalled && { onCalled }),
    },
    async () => {},
  );
  return {
    ...connected,
    ok: async (tool, args) => {
      const answer = await connected.call(tool, args);
      expect(answer.isError, answer.text).toBe(false);
      return answer;
    },
  };
}

export interface TriliumError {
  readonly error: string;
  readonly status?: string;
  readonly code?: string;
  readonly suggestion: string;
}

/** The failure in the documented shape: one text block of three lines, with the flag. */
export function errorOf(answer: Answer): TriliumError {
  expect(answer.isError, answer.text).toBe(true);
  expect(answer.structured).toBeUndefined();
  expect(answer.content).toHaveLength(1);
  const found =
    /^\*\*Error\*\*: (?<error>[^\n]+)\n(?:\*\*Status\*\*: (?<status>[^\n]+)\n|\*\*Code\*\*: (?<code>[^\n]+)\n)?\n\*\*Suggestion\*\*: (?<suggestion>[\s\S]+)$/.exec(
      answer.text,
    );
  expect(found, answer.text).not.toBeNull();
  return { ...(found?.groups as unknown as TriliumError) };
}

/** The state of a fake, to tell whether anything was changed. */
export function stateOf({ db }: FakeTrilium): string {
  const tables = [db.notes, db.branches, db.attributes, db.attachments, db.revisions];
  return JSON.stringify([...tables.map((table) => [...table.entries()]), db.backups]);
}

/** Requests that change something, since a moment. */
export function writesOf({ requests }: FakeTrilium): string[] {
  return requests.filter((request) => !request.startsWith('GET '));
}
