/** The scopes of a signed token: those it names, in each of the claims issuers use, and never more. */
import { SignJWT } from 'jose';
import { expect, test } from 'vitest';
import { signedTokens } from '../../src/http/auth/jwt.ts';

const SECRET = 's'.repeat(32);
const authenticate = signedTokens({ secret: SECRET });

async function scopesWith(claims: Record<string, unknown>): Promise<readonly string[] | undefined> {
  const token = await new SignJWT({ sub: 'alex', ...claims })
    .setProtectedHeader({ alg: 'HS256' })
    .setExpirationTime('5m')
    .sign(Buffer.from(SECRET));
  return (await authenticate(token))?.scopes;
}

const BOTH = ['notes:read', 'notes:write'];

test.each<[string, Record<string, unknown>, string[]]>([
  ['nothing of scopes', {}, BOTH],
  ['scope as text', { scope: 'notes:read' }, ['notes:read']],
  ['scope as text with more blanks', { scope: ' openid \t notes:read  email' }, ['notes:read']],
  ['scope as a list', { scope: ['notes:read'] }, ['notes:read']],
  ['scp as text', { scp: 'notes:read' }, ['notes:read']],
  ['scp as a list', { scp: ['notes:read', 'openid'] }, ['notes:read']],
  ['scp with both', { scp: BOTH }, BOTH],
  ['scope and scp that agree', { scope: 'notes:read notes:write', scp: BOTH }, BOTH],
  ['scope and scp that do not', { scope: 'notes:read notes:write', scp: ['notes:read'] }, ['notes:read']],
  ['only scopes of others', { scope: 'openid email' }, []],
  ['only scopes of others in a list', { scp: ['openid'] }, []],
  ['a scope that is nearly one of ours', { scope: 'NOTES:READ notes:writes notes' }, []],
  ['scopes in one entry of a list', { scp: ['notes:read notes:write'] }, []],
  ['an empty text', { scope: '' }, []],
  ['an empty list', { scp: [] }, []],
  ['nothing that can be read: null', { scope: null }, []],
  ['nothing that can be read: a number', { scp: 7 }, []],
  ['nothing that can be read: an object', { scope: { 'notes:write': true } }, []],
])('a token with %s', async (_, claims, scopes) => {
  expect(await scopesWith(claims)).toEqual(scopes);
});

test.each([
  [{ jkt: '0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I' }, undefined],
  [{ jkt: 7 }, undefined],
  [null, BOTH],
  ['other', BOTH],
])('a token with the confirmation %j opens nothing without a proof', async (cnf, scopes) => {
  expect(await scopesWith({ cnf })).toEqual(scopes);
});
