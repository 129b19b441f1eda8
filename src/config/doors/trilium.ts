import { type Door, type DoorOption, LOG_LEVELS } from '../door.ts';
import { triliumHttpKeys, triliumHttpOptions } from './trilium-http.ts';
import { unlessBlank, yesOrNo } from './values.ts';

/** The same flags, where there is no notebook to say them of. */
const forTenants: readonly DoorOption[] = [
  {
    setting: 'gateway.readOnly',
    flag: '--read-only',
    env: 'TRILIUM_READ_ONLY',
    description: '',
    parse: yesOrNo,
  },
  {
    setting: 'gateway.noDelete',
    flag: '--no-delete',
    env: 'TRILIUM_NO_DELETE',
    description: '',
    parse: yesOrNo,
  },
];

/** A Trilium to the client that starts this, or over HTTP; or any Trilium its clients name. */
export const triliumDoor: Door = {
  settings: { tools: 'trilium' },
  log: {
    env: 'LOG_LEVEL',
    formatEnv: 'LOG_FORMAT',
    usual: 'info',
    format: 'text',
    shape: 'events',
    levels: {
      ...LOG_LEVELS,
      ...{ off: 'silent', none: 'silent', warning: 'warn', verbose: 'debug', trace: 'debug' },
    },
  },
  file: {
    name: 'trilium-mcp.json',
    keys: {
      url: 'trilium.url',
      token: 'trilium.token',
      publicUrl: 'trilium.publicUrl',
      subtree: 'trilium.subtree',
      ...triliumHttpKeys,
    },
  },
  options: [
    {
      setting: 'trilium.url',
      flag: '-u, --url <url>',
      env: 'TRILIUM_URL',
      description: 'address of Trilium, with or without /etapi (default: http://localhost:37740)',
      parse: unlessBlank,
    },
    {
      setting: 'trilium.token',
      flag: '-t, --token <token>',
      env: 'TRILIUM_TOKEN',
      description: 'ETAPI token, made in Trilium under Options, ETAPI',
      isNeeded: true,
      neededUnless: 'gateway.multiTenant',
      secret: true,
      parse: unlessBlank,
    },
    {
      setting: 'trilium.publicUrl',
      flag: '--public-url <url>',
      env: 'TRILIUM_PUBLIC_URL',
      description: 'address people open notes at (default: the one of Trilium)',
      parse: unlessBlank,
    },
    {
      setting: 'trilium.subtree',
      flag: '--subtree <noteId>',
      env: 'TRILIUM_SUBTREE',
      description: 'reach nothing but this note and what is below it',
      parse: unlessBlank,
    },
    {
      setting: 'readOnly',
      flag: '--read-only',
      env: 'TRILIUM_READ_ONLY',
      description: 'offer no tool that changes notes',
      parse: yesOrNo,
    },
    {
      setting: 'noDelete',
      flag: '--no-delete',
      env: 'TRILIUM_NO_DELETE',
      description: 'offer no tool that deletes',
      parse: yesOrNo,
    },
    ...forTenants,
    ...triliumHttpOptions,
  ],
};
