/** Answer shapes several tools share. */
import * as z from 'zod';

export const operationResult = () =>
  z.object({ success: z.boolean(), path: z.string(), message: z.string() });

export const failures = () => z.array(z.object({ path: z.string(), error: z.string() }));
