import { type LandingFacts, landingPage } from '../console/landing-page.ts';
import { contentSecurityPolicy } from '../console/layout.ts';
import type { Route } from '../shared/exchange.ts';

export function landingRoute(facts: LandingFacts): Route {
  const page = landingPage(facts);
  const headers = {
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Security-Policy': contentSecurityPolicy(),
    'Referrer-Policy': 'no-referrer',
  };
  return { method: 'GET', path: '/', handle: async () => new Response(page, { headers }) };
}
