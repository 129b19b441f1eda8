/** How text is folded before it is cut into words. */
import type { Folding } from '../fold.ts';

export const SEARCH_FOLDING: Folding = { ignoreCase: true, ignoreAccents: true, ignoreLineEndings: true };
