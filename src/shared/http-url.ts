/** Schemas of http and https addresses in settings. */
import * as z from 'zod';

export const httpAddress = z.url({ protocol: /^https?$/, error: 'must be an http or https address' });
/** Without slashes at the end; letters beyond ASCII as headers carry them. */
export const httpUrl = httpAddress.transform((text) =>
  (isPlain(text) ? text : new URL(text).href).replace(/\/+$/, ''),
);

const isPlain = (text: string) => /^[!-~]*$/.test(text);
