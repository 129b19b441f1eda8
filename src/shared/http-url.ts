/** Schemas of http and https addresses in settings. */
import * as z from 'zod';

export const httpAddress = z.url({ protocol: /^https?$/, error: 'must be an http or https address' });
/** Without slashes at the end. */
export const httpUrl = httpAddress.transform((text) => text.replace(/\/+$/, ''));
