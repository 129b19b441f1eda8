/** The apps of the console's page: grants of the authorization server, and the counts of their calls. */
import type { AppsSource } from '../../console/pages/apps.ts';
import { createRevoke, createSetAccess } from '../../oauth/account.ts';
import type { PageParts } from '../../oauth/authorization-server.ts';
import type { OpenUsage } from '../usage.ts';

export function appsSource(pages: PageParts | undefined, usage: OpenUsage | undefined): AppsSource {
  return {
    connected: pages && {
      of: (user) => pages.grants.of(user),
      setAccess: createSetAccess(pages),
      revoke: createRevoke(pages),
      servedTo: async (name) => ({
        ...pages.served,
        most: await pages.subjects.mostOf({ kind: 'user', name }),
      }),
    },
    calling: () => usage?.counts.apps() ?? [],
  };
}
