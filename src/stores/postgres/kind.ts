import * as z from 'zod';
import { addressProblem, databasePlace } from '../../state/postgres/address.ts';
import { startProblem } from '../../state/postgres/start-problem.ts';
import type { StoreKind } from '../kind.ts';

const settings = z.string().superRefine((address, context) => {
  const message = addressProblem(address);
  if (message !== undefined) context.addIssue({ code: 'custom', message });
});

export const DEFAULT_SCHEMA = 'notes';

/** Names that need no quotes, so that people can type them. */
const schema = z
  .string()
  .regex(
    /^(?!pg_)[a-z_][a-z0-9_]{0,62}$/,
    'must be a name of small letters, digits and _, such as notes, and not begin with pg_',
  )
  // The migrations of the two would be taken for each other's.
  .refine((name) => name !== 'quire', 'must be another name: quire is the schema of what servers share');

interface PostgresSettings {
  readonly postgres: string;
  readonly schema?: string;
}

export const postgresKind = {
  label: 'a postgres database',
  description: 'Instead of a folder: address of a PostgreSQL database, which several servers may share',
  settings,
  beside: {
    schema: schema
      .exactOptional()
      .describe(`With postgres: the schema that holds the notebook (default: ${DEFAULT_SCHEMA})`),
  },
  identity: ({ postgres, schema: name = DEFAULT_SCHEMA }) => ['postgres', databasePlace(postgres), name],
  open: async ({ postgres, schema: name = DEFAULT_SCHEMA }, context) => {
    const { openPostgresStore } = await import('./store.ts');
    const { log, stateDatabase } = context;
    const isShared = stateDatabase?.url === postgres;
    const { openDatabase } = await import('../../state/postgres/database.ts');
    const database = isShared ? stateDatabase.database : openDatabase(postgres, { log });
    try {
      return await openPostgresStore(database, name, { ...context, isShared });
    } catch (error) {
      if (!isShared) await database.close();
      throw startProblem(error, postgres, 'the key postgres of the notebook');
    }
  },
  doctor: async (notebook, { postgres, schema: name = DEFAULT_SCHEMA }, patient) =>
    (await import('./doctor.ts')).examinePostgres(notebook, postgres, name, patient),
} satisfies StoreKind<typeof settings, PostgresSettings>;
