/** For servers behind an assistant: it is no operator, so nobody is there to be asked. */
import type { Operator } from './operator.ts';

const notAsked = () => Promise.reject(new Error('Nobody is there to be asked'));

export const NOBODY: Operator = {
  isInteractive: false,
  askForm: notAsked,
  confirmSecrets: notAsked,
  askUrl: notAsked,
  askSampling: notAsked,
};
