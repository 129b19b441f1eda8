/** The resources of review beside what an endpoint offers: proposals, and the view in which a person decides. */
import { joinResources } from '../mcp/join.ts';
import type { NotebookServer, ServerSurface } from './notebooks.ts';
import { proposalResources } from './proposal-resources.ts';
import type { Services } from './services.ts';
import { viewResources } from './view-resources.ts';

export function withReviewOffers<Offers extends Pick<ServerSurface, 'limited' | 'resources'>>(
  offers: Offers,
  notebooks: Iterable<NotebookServer>,
  { log, viewKeys }: Pick<Services, 'log' | 'viewKeys'>,
): Offers {
  const reviewed = [...notebooks].filter(({ isReviewed }) => isReviewed);
  const own = [
    reviewed.length > 0 ? proposalResources(reviewed, log) : undefined,
    viewKeys && viewResources(offers, viewKeys),
  ].filter((one) => one !== undefined);
  if (own.length === 0) return offers;
  return { ...offers, resources: joinResources([...own, offers.resources ?? []].flat()) };
}
