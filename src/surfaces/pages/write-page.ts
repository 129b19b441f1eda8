import * as z from 'zod';
import { replaceSeen } from '../../notes/ops/create-note.ts';
import { parsePagePath } from '../../notes/page-path.ts';
import { isAppError } from '../../shared/errors.ts';
import { assertSize, assertWritable } from './access.ts';
import { callerOf, defineTool } from './backend.ts';
import { changedSince, nothingToOverwrite, onPages } from './page-errors.ts';
import { body, integer, page, repeated } from './parameters.ts';

export const writePage = defineTool({
  name: 'write_page',
  title: 'Write page (overwrite, collision-safe)',
  description:
    'Overwrite a page you have read: expected_last_modified is the lastModified that read_page, create_page or write_page gave with it. If the page has changed since, nothing is written and you get a conflict: read it again. Makes no new pages (create_page does); to add text use append_to_page. Returns {written, path, lastModified}. Example: {"page":"projects/plan","body":"# Plan\\n","expected_last_modified":1794710389349}',
  effect: 'destroy',
  input: () =>
    z.strictObject({
      page: page(),
      body: body(),
      expected_last_modified: integer(Number.MIN_SAFE_INTEGER).describe(
        'lastModified from read_page, create_page or write_page',
      ),
    }),
  async run({ page: raw, body: text, expected_last_modified: marker }, call) {
    const { backend } = call;
    const path = parsePagePath(raw);
    assertWritable(backend, path);
    assertSize(path, text);
    const caller = callerOf(call);
    const { note, unchanged } = await onPages(backend.notes, [path], () =>
      replaceSeen(backend, path, { text, marker, caller }, backend.markers).catch((error: unknown) => {
        if (isAppError(error, 'not_found')) throw nothingToOverwrite(path);
        throw isAppError(error, 'conflict') ? changedSince(path, marker) : error;
      }),
    );
    const lastModified = backend.markers.issue(caller, note);
    const result = repeated({ deduplicated: unchanged });
    return {
      value: { written: true, path, lastModified, ...result },
      facts: {
        page: path,
        bytes: note.size,
        expected_last_modified: marker,
        last_modified: lastModified,
        ...result,
      },
    };
  },
});
