/** `quire init`: writes a commented quire.yaml from answers or flags. */
import { AppError } from '../../shared/errors.ts';

export interface InitOptions {
  readonly folders: readonly string[];
}

export async function init(_options: InitOptions): Promise<void> {
  throw new AppError('unsupported', 'quire init is not built yet');
}
