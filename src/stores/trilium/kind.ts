import * as z from 'zod';
import { httpUrl } from '../../shared/http-url.ts';
import type { StoreKind } from '../kind.ts';
import type { TriliumClient } from './client.ts';

const settings = z.lazy(() =>
  z.strictObject({
    url: httpUrl.default('http://localhost:37740').describe('Address of Trilium, with or without /etapi'),
    token: z
      .string('is missing; give --token or TRILIUM_TOKEN')
      .min(1, 'must not be empty')
      .describe('An ETAPI token, made in Trilium under Options, ETAPI'),
    publicUrl: httpUrl.optional().describe('Address people open notes at; that of Trilium when left out'),
    subtree: z
      .string()
      .regex(/^[A-Za-z0-9_]{1,128}$/, 'must be the id of a note')
      .optional()
      .describe('Id of a note: nothing but this note and what is below it can be reached'),
  }),
);

export const triliumKind: StoreKind<typeof settings> = {
  label: 'a trilium',
  description: 'Instead of a folder: a Trilium',
  settings,
  identity: ({ url, subtree }) => [url, subtree],
  open: async ({ url, token, subtree }, { log, convertThreads }) => {
    const { createTriliumClient } = await import('./client.ts');
    const { createConversion } = await import('./conversion.ts');
    const { openTriliumStore } = await import('./store.ts');
    const { recordedClient } = await import('./record/recorded-client.ts');
    const { withinSubtree } = await import('./subtree/guard.ts');
    const whole = createTriliumClient({ url, token, allow: 'private' });
    const conversion = createConversion({ threads: convertThreads, log });
    const reached = (client: TriliumClient) =>
      subtree === undefined ? client : withinSubtree(client, subtree);
    return openTriliumStore({
      client: reached(whole),
      recordedBy: (recorder) => reached(recordedClient(whole, recorder)),
      markdown: conversion,
      cleanFile: conversion.cleanFile,
      rootNoteId: subtree,
      log,
    });
  },
  doctor: async (notebook, trilium) => (await import('./doctor.ts')).examineTrilium(notebook, trilium),
};
