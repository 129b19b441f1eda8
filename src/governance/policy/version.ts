/** Which policy an approval was given under: another policy, another version, and the approval is void. */
import { digestOf } from '../digest.ts';
import type { Policy } from './decide.ts';
import { DEFAULT_MATRIX } from './matrix.ts';

export function policyVersion({ permissionMode, policy }: Policy): string {
  return digestOf({ mode: permissionMode, rules: policy, matrix: DEFAULT_MATRIX });
}
