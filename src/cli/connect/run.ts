/** `quire connect`: writes Quire into the configuration of the clients on this machine. */
import { AppError } from '../../shared/errors.ts';

export interface ConnectOptions {
  /** Names of clients; none: every client found. */
  readonly clients: readonly string[];
  /** Notes to serve over stdio; else those of `config`. */
  readonly folder?: string;
  readonly config?: string;
  /** Address of a running server, instead of a program that the client starts. */
  readonly http?: string;
  /** Name of the entry. */
  readonly name?: string;
  readonly yes?: boolean;
  readonly print?: boolean;
  readonly remove?: boolean;
}

export async function connect(_options: ConnectOptions): Promise<void> {
  throw new AppError('unsupported', 'quire connect is not built yet');
}
