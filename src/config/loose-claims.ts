/** What an operator should know of tokens that are checked for less than they could be. */
export function looseClaims(issuer: string | undefined, audience: string | undefined): string | undefined {
  const missing = [
    ...(issuer === undefined ? ['issuer'] : []),
    ...(audience === undefined ? ['audience'] : []),
  ];
  if (missing.length === 0) return undefined;
  return `tokens are not checked for their ${missing.join(' and ')}: every token that key has signed, for whatever service, opens this one.`;
}
