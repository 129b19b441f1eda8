import * as z from 'zod';
import { holdsText } from '../../stores/trilium/content-kind.ts';
import { defineTool } from './backend.ts';
import { decodedText, fileBlock, mostBytes, pagedRows, pieceOf, truncationNotice } from './blocks.ts';
import { contentStart, exactlyOne, id, limit, offset } from './parameters.ts';

export const getRevisions = defineTool({
  name: 'get_revisions',
  title: 'Get revisions',
  description:
    'Former states of a note. With noteId: the list, newest first. With revisionId: the stored text of that one, or with include_content=false its metadata. Example: {"noteId":"abc123"}',
  effect: 'read',
  input: () =>
    z
      .object({
        noteId: id('List its revisions').optional(),
        revisionId: id('Read this one', 'revision').optional(),
        include_content: z.boolean().default(true),
        content_start: contentStart(),
        limit: limit(50, 500),
        offset: offset(),
      })
      .superRefine((input, context) => exactlyOne(['noteId', 'revisionId'], input, context)),
  async run(
    { noteId, revisionId = '', include_content: isWhole, content_start: start, ...page },
    { backend: { client }, signal },
  ) {
    const options = { signal };
    const { revisions } = client;
    if (noteId !== undefined) {
      const list = await revisions.list(noteId, options);
      return pagedRows(
        list.map((one) => ({ ...one })),
        page,
      );
    }
    const revision = await revisions.get(revisionId, options);
    if (!isWhole) return { value: { ...revision } };
    const isText = holdsText(revision);
    const { bytes } = await revisions.content(revisionId, {
      ...options,
      maxBytes: !isText ? mostBytes(revision.mime) : undefined,
    });
    const text = isText ? decodedText('text/plain', bytes) : undefined;
    if (text === undefined)
      return {
        value: {},
        content: [fileBlock({ uri: `trilium:///revisions/${revisionId}`, mime: revision.mime, bytes })],
      };
    const piece = pieceOf(text, start);
    return {
      value: {},
      content: [{ type: 'text', text: piece.text + truncationNotice(piece, 'get_revisions') }],
    };
  },
});
