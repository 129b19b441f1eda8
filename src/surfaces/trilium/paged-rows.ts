/** A list that is documented as a bare array: its rows in the first block, how to go on in a second. */
import type { Output } from '../../mcp/tool.ts';
import { pageEnd } from '../shared/page.ts';

export function pagedRows(
  rows: readonly Readonly<Record<string, unknown>>[],
  { limit, offset }: { readonly limit: number; readonly offset: number },
): Output {
  const wanted = rows.slice(0, offset + limit);
  const end = pageEnd(wanted, Math.min(offset, wanted.length), (row) => JSON.stringify(row).length + 1);
  const notice = `Rows ${offset + 1} to ${end} of ${rows.length}. Call again with offset=${end} to continue.`;
  return {
    value: {},
    text: wanted.slice(offset, end),
    ...(end < rows.length && { blocks: [{ type: 'text', text: notice }] }),
  };
}
