/** All kinds of stores, each under the key of its settings in a notebook. A kind is known here and in its own folder. */
import type * as z from 'zod';
import type { NotePath } from '../notes/path.ts';
import type { NoteStore } from '../notes/store.ts';
import type { CheckResult } from '../shared/checks.ts';
import { AppError } from '../shared/errors.ts';
import { folderKind } from './folder/kind.ts';
import type { ExaminedNotebook, StoreContext, StoreKind } from './kind.ts';
import { postgresKind } from './postgres/kind.ts';
import { silverbulletKind } from './silverbullet/kind.ts';
import { triliumKind } from './trilium/kind.ts';

export const storeKinds = {
  folder: folderKind,
  silverbullet: silverbulletKind,
  trilium: triliumKind,
  postgres: postgresKind,
};

export type StoreKinds = typeof storeKinds;
export type StoreKindName = keyof StoreKinds;
export const storeKindNames = Object.keys(storeKinds) as StoreKindName[];

/** The location of a notebook: settings of exactly one kind. */
type Location = { readonly [Name in StoreKindName]?: z.output<StoreKinds[Name]['settings']> } & {
  readonly schema?: string;
};

/** A store that can be opened: a kind with its settings. */
interface ConfiguredStore {
  readonly kind: StoreKindName;
  readonly identity: unknown;
  open(context: StoreContext): Promise<NoteStore>;
  /** Undefined where no program opens the notes by an address. */
  addressOf(path: NotePath): string | undefined;
  doctor(notebook: string, patient: ExaminedNotebook): Promise<readonly CheckResult[]>;
}

export function storeAt(location: Location): ConfiguredStore {
  const name = storeKindNames.find((kind) => location[kind] !== undefined);
  if (name === undefined) throw new AppError('invalid_input', 'The notebook has no location');
  // The compiler does not follow a kind to its own settings.
  const kind = storeKinds[name] as StoreKind as StoreKind<z.ZodType, unknown>;
  const keys = kind.beside && [name, ...Object.keys(kind.beside)];
  const settings = keys
    ? Object.fromEntries(Object.entries(location).filter(([key]) => keys.includes(key)))
    : location[name];
  return {
    kind: name,
    identity: kind.identity(settings),
    open: (context) => kind.open(settings, context),
    addressOf: (path) => kind.addressOf?.(settings, path),
    doctor: (notebook, patient) => kind.doctor(notebook, settings, patient),
  };
}
