/** Which addresses a server over HTTP may have, as far as the text tells. What names resolve to, the fetch checks. */
import { isIP } from 'node:net';
import type { UpstreamServer } from '../../config/control-plane.ts';
import { isLoopbackName, reachOf } from '../../shared/ip-ranges.ts';
import type { Rejection } from '../types.ts';

const MAX_LENGTH = 8_192;

export function judgeUrl({
  url: text,
  allowPrivate,
}: Pick<UpstreamServer, 'url' | 'allowPrivate'>): Rejection[] {
  if (text === undefined)
    return [{ code: 'url_missing', reason: 'No url is given. Set url to its address.' }];
  const url = text.length <= MAX_LENGTH && URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol) || /[\s\p{Cc}]/u.test(text))
    return [{ code: 'url_invalid', reason: 'url must be a full address, such as https://example.com/mcp.' }];
  const host = hostOf(url);
  const problems: Rejection[] = [];
  if (url.protocol === 'http:' && !isLoopback(host))
    problems.push({ code: 'url_not_https', reason: 'url must be https; http is for this machine only.' });
  if (url.username !== '' || url.password !== '')
    problems.push({ code: 'url_userinfo', reason: 'url must hold no user name or password. Use headers.' });
  if (isRefusedAddress(host, allowPrivate))
    problems.push({
      code: 'url_private_address',
      reason: 'url leads to a private, link-local or metadata address. For a private one set allow_private.',
    });
  return problems;
}

/** What `safeFetch` may connect to for this server. It judges every address a name has, and follows no redirect. */
export function reachAllowed({
  url = '',
  allowPrivate,
}: Pick<UpstreamServer, 'url' | 'allowPrivate'>): 'public' | 'loopback' | 'private' {
  if (allowPrivate) return 'private';
  return URL.canParse(url) && isLoopback(hostOf(new URL(url))) ? 'loopback' : 'public';
}

function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '');
}

function isLoopback(host: string): boolean {
  return isIP(host) === 0 ? isLoopbackName(host) : reachOf(host) === 'loopback';
}

function isRefusedAddress(host: string, allowPrivate: boolean): boolean {
  if (isIP(host) === 0) return false;
  const reach = reachOf(host);
  return reach === 'special' || (reach === 'private' && !allowPrivate);
}
