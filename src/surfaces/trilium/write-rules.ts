/** Which parameters go with which mode of a write. */
import type * as z from 'zod';

interface NoteWrite {
  readonly mode: 'metadata' | 'replace' | 'append' | 'edit';
  readonly format: string;
  readonly [parameter: string]: unknown;
}

interface AttachmentWrite {
  readonly mode: 'metadata' | 'replace' | 'edit';
  readonly [parameter: string]: unknown;
}

const BODIES = ['content', 'changes', 'patch', 'images', 'files'];

export function checkWrite(input: NoteWrite, context: z.RefinementCtx): void {
  const { mode } = input;
  const say = sayer(context);
  if (mode === 'metadata') {
    needsOne(input, ['title', 'type', 'mime'], say);
    refuses(input, BODIES, say);
  } else if (mode === 'edit') {
    needsEdit(input, say);
    refuses(input, ['content', 'images', 'files', 'title', 'type', 'mime'], say);
    if (input.format === 'markdown')
      say('edit works on the stored HTML; format "markdown" cannot be used with it');
  } else {
    needsOne(input, ['content'], say);
    refuses(input, ['changes', 'patch', 'title', 'type', 'mime'], say);
  }
}

export function checkAttachmentWrite(input: AttachmentWrite, context: z.RefinementCtx): void {
  const { mode } = input;
  const say = sayer(context);
  const metadata = ['role', 'mime', 'title', 'position'];
  if (mode === 'metadata') {
    needsOne(input, metadata, say);
    refuses(input, BODIES, say);
  } else if (mode === 'edit') {
    needsEdit(input, say);
    refuses(input, ['content', ...metadata], say);
  } else {
    needsOne(input, ['content'], say);
    refuses(input, ['changes', 'patch', ...metadata], say);
  }
}

type Say = (message: string) => void;
type Input = Readonly<Record<string, unknown>> & { readonly mode: string };

function sayer(context: z.RefinementCtx): Say {
  return (message) => context.addIssue({ code: 'custom', message });
}

function needsOne(input: Input, names: readonly string[], say: Say): void {
  if (names.every((name) => input[name] === undefined))
    say(`mode "${input.mode}" needs ${names.length > 1 ? 'at least one of ' : ''}${names.join(', ')}`);
}

function needsEdit(input: Input, say: Say): void {
  if ((input.changes === undefined) === (input.patch === undefined))
    say('mode "edit" needs exactly one of changes and patch');
}

function refuses(input: Input, names: readonly string[], say: Say): void {
  const given = names.filter((name) => input[name] !== undefined);
  if (given.length > 0) say(`mode "${input.mode}" does not take ${given.join(', ')}`);
}
