/** Results of calls: hidden characters go, everything else stays and is flagged. */
import type { ScanFinding } from '../../types.ts';
import { findHidden, stripHidden } from './hidden-text.ts';
import { type ScanContext, scanText, textsOf } from './scan.ts';

export interface ScannedResult<T> {
  readonly result: T;
  readonly findings: readonly ScanFinding[];
  /** How many hidden characters were taken out. */
  readonly stripped: number;
}

const MAX_FINDINGS = 20;
const MAX_DEPTH = 100;
/** Binary content is not text. */
const BINARY = new Set(['data', 'blob']);

export function scanResult<T>(result: T, context: ScanContext = {}): ScannedResult<T> {
  const findings: ScanFinding[] = [];
  const { texts, isCut } = textsOf(result);
  for (const text of texts) {
    if (findings.length >= MAX_FINDINGS) break;
    if (!BINARY.has(text.where.split('.').at(-1) ?? '')) findings.push(...scanText(text, context));
  }
  if (isCut)
    findings.push({
      code: 'result.cut',
      severity: 'soft',
      where: 'result',
      excerpt: 'not looked over to its end',
    });
  let stripped = 0;
  const strip = (value: unknown, depth: number): unknown => {
    if (typeof value === 'string') {
      stripped += findHidden(value).length;
      return stripHidden(value);
    }
    if (typeof value !== 'object' || value === null || depth > MAX_DEPTH) return value;
    if (Array.isArray(value)) return value.map((item) => strip(item, depth + 1));
    return Object.fromEntries(
      Object.entries(value).map(([name, item]) => [stripHidden(name), strip(item, depth + 1)]),
    );
  };
  // The shape is that of what came in.
  return { result: strip(result, 0) as T, findings: findings.slice(0, MAX_FINDINGS), stripped };
}
