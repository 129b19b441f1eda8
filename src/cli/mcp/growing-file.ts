/** The configuration file that a server is added to, which need not be there yet. */
import { join } from 'node:path';
import { createText, replaceText } from '../../governance/marketplace/marketplace.ts';
import type { McpCall } from './command.ts';

export interface GrowingFile {
  readonly path: string;
  readonly text: string;
  readonly isNew: boolean;
}

export function growingFileOf({ config, workingFolder }: McpCall): GrowingFile {
  if (config) return { path: config.path, text: config.text, isNew: false };
  return { path: join(workingFolder, 'quire.yaml'), text: '', isNew: true };
}

/** Refuses a file that somebody wrote meanwhile. */
export function writeGrown({ path, text: before, isNew }: GrowingFile, text: string): Promise<void> {
  return isNew ? createText(path, text) : replaceText(path, before, text);
}
