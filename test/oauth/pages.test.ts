/** The pages people see: data in, HTML out. */

import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { accountPage, errorPage } from '../../src/oauth/pages/account-page.ts';
import { consentPage } from '../../src/oauth/pages/consent-page.ts';
import { contentSecurityPolicy } from '../../src/oauth/pages/layout.ts';
import { loginPage } from '../../src/oauth/pages/login-page.ts';
import { securityPage } from '../../src/oauth/pages/security-page.ts';
import { html } from '../../src/shared/html.ts';

const client = {
  name: 'Claude',
  vouchedBy: { kind: 'client' },
  destination: { kind: 'web', host: 'claude.ai' },
} as const;
const form = { action: 'https://notes.example.com/oauth/authorize', ticket: 'the-ticket', client };

const PAGES = {
  login: loginPage({ ...form, asks: 'name and password' }),
  refused: loginPage({ ...form, asks: 'name and password', after: 'refused' }),
  owner: loginPage({ ...form, asks: 'owner token', after: 'busy' }),
  consent: consentPage({ ...form, scopes: ['notes:read', 'notes:write'], user: 'alex' }),
  'own login': loginPage({ action: form.action, ticket: 't', asks: 'name and password' }),
  account: accountPage({
    action: form.action,
    ticket: 't',
    user: 'alex',
    apps: [
      {
        id: 'grant',
        clientName: 'Claude',
        destination: 'claude.ai',
        scopes: ['notes:read'],
        grantedAt: 0,
        usedAt: 1,
      },
    ],
  }),
  error: errorPage({
    title: 'T',
    message: 'M',
    hint: 'H',
    wayBack: { host: 'h', address: 'https://h/?a=b&c' },
  }),
};

describe('html', () => {
  it('escapes whatever is put in, unless it was made here', () => {
    const evil = `<b>"'&\``;
    expect(
      html`<p title="${evil}">${evil}${html`<i>${1}</i>`}${[html`<u></u>`, html`x`]}${undefined}${false}</p>`
        .markup,
    ).toBe('<p title="&#60;b&#62;&#34;&#39;&#38;&#96;">&#60;b&#62;&#34;&#39;&#38;&#96;<i>1</i><u></u>x</p>');
  });
});

it('pages of an account lead to each other also below a path', () => {
  const account = 'https://example.com/quire/account';
  const action = `${account}/security`;
  const facts = { ticket: 't', user: 'alex', hasTotp: false, passkeys: [], recoveryLeft: 0 };
  expect(accountPage({ ...facts, action: account, apps: [], hasPassword: true })).toContain(
    `href="${action}"`,
  );
  expect(securityPage({ ...facts, action, account, isOwn: true })).toContain(`href="${account}"`);
});

describe.each(Object.entries(PAGES))('the %s page', (_, page) => {
  it('has no script, loads nothing, and fits a phone', () => {
    expect(page).toMatch(/^<!doctype html>\n<html lang="en">/);
    expect(page).toContain('<meta name="viewport" content="width=device-width, initial-scale=1">');
    expect(page).not.toMatch(/<script|<img|<link|<iframe|\son\w+=|\sstyle=|javascript:/i);
  });

  it('is styled by exactly what its policy allows', () => {
    const style = /<style>(.*?)<\/style>/s.exec(page)?.[1] ?? '';
    const hash = createHash('sha256').update(style).digest('base64');
    expect(contentSecurityPolicy()).toContain(`style-src 'sha256-${hash}'`);
  });

  it('has one heading, a main part, and a label for every field', () => {
    expect(page.match(/<h1>/g)).toHaveLength(1);
    expect(page).toContain('<main>');
    const fields = page.match(/<input(?![^>]*type="hidden")[^>]*>/g) ?? [];
    expect(page.match(/<label>[^<]+<input [^>]+><\/label>/g) ?? []).toHaveLength(fields.length);
  });
});

describe('words', () => {
  it('help password managers, and tell screen readers what went wrong', () => {
    expect(PAGES.login).toMatch(/name="username" autocomplete="username"/);
    expect(PAGES.login).toMatch(/name="password" type="password" autocomplete="current-password"/);
    expect(PAGES.login).not.toContain('role="alert"');
    expect(PAGES.refused).toContain('<p class="problem" id="problem" role="alert">');
    expect(PAGES.refused.match(/aria-invalid="true" aria-describedby="problem"/g)).toHaveLength(2);
    expect(PAGES.owner).not.toContain('name="username"');
  });

  it('name the client, where its answers go, and what it may do', () => {
    expect(PAGES.consent).toContain('Allow Claude to use your notes?');
    expect(PAGES.consent).toContain('<b>claude.ai</b>');
    expect(PAGES.consent).toContain(
      '<li>read and search all your notes</li><li>create, change, move and delete notes</li>',
    );
    expect(PAGES.consent).toContain('<b>no one</b>: the app chose this name itself');
    expect(PAGES.consent).not.toContain('Any program on your device');
    const writing = consentPage({ ...form, scopes: ['notes:write'] });
    expect(writing, 'who may write may read').toContain('<li>read and search all your notes</li><li>create,');
    const readOnly = consentPage({ ...form, scopes: ['notes:read'] });
    expect(readOnly).not.toContain('delete');
    expect(readOnly).not.toContain('Signed in as');
  });

  it.each([
    [{ kind: 'device', host: '127.0.0.1' }, 'a program on <b>this device</b> (127.0.0.1)'],
    [
      { kind: 'app', host: 'cursor://anysphere.cursor-mcp' },
      'opens <b>cursor://anysphere.cursor-mcp</b> links',
    ],
  ] as const)('warn when the answer goes to %o', (destination, words) => {
    const page = consentPage({ ...form, client: { ...client, destination }, scopes: ['notes:read'] });
    expect(page).toContain(words);
    expect(page).toContain('Any program on your device could ask like this');
  });

  it.each([
    [{ kind: 'operator' }, '<b>the operator of this server</b>, who set it up'],
    [{ kind: 'site', host: 'chatgpt.com' }, 'vouched for by</dt><dd><b>chatgpt.com</b></dd>'],
  ] as const)('say who vouches for the name: %o', (vouchedBy, words) => {
    expect(consentPage({ ...form, client: { ...client, vouchedBy }, scopes: ['notes:read'] })).toContain(
      words,
    );
  });
});
