import * as z from 'zod';
import { pageNameOf } from '../../notes/page-path.ts';
import { httpUrl } from '../../shared/http-url.ts';
import type { StoreKind } from '../kind.ts';

const settings = z.lazy(() =>
  z.strictObject({
    url: httpUrl.describe('Address of the space, with its prefix if it has one'),
    token: z.string().min(1, 'must not be empty').describe("The server's SB_AUTH_TOKEN, or an API token"),
  }),
);

export const silverbulletKind: StoreKind<typeof settings> = {
  label: 'a silverbullet space',
  description: 'Instead of a folder: a SilverBullet space',
  settings,
  identity: ({ url }) => url,
  open: async (space, { log, permanentDelete }) => {
    const { createSilverBulletClient } = await import('./client.ts');
    const { openSilverBulletStore } = await import('./store.ts');
    return openSilverBulletStore(createSilverBulletClient(space), { log, permanentDelete });
  },
  addressOf: ({ url }, path) => {
    const page = pageNameOf(path).split('/').map(encodeURIComponent).join('/');
    return `${url.replace(/\/+$/, '')}/${page}`;
  },
  doctor: async (notebook, space) => (await import('./doctor.ts')).examineSilverBullet(notebook, space),
};
