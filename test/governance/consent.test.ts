/** `quire mcp consent`: a person agrees that a server is used, or no longer does; in the configuration and in the log. */
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { fileText, putFile } from '../kit/temp.ts';
import { OPERATOR, type PlaneFolder, planeFolder, shop } from './plane-kit.ts';

const REMOTE = {
  name: 'far',
  transport: 'streamable_http',
  url: 'https://far.example.com/mcp',
  client_consent: 'pending',
  expose: true,
  ask_client: ['elicitation'],
};

const consentIn = async ({ folder }: PlaneFolder, at = 0) =>
  parse(await fileText(folder, 'quire.yaml')).control_plane.mcp_servers[at].client_consent;

const told = async (plane: PlaneFolder) => (await plane.audit()).filter(({ via }) => via !== undefined);

describe('quire mcp consent', () => {
  it('gives it on a terminal, after showing what it is given to', async () => {
    const plane = await planeFolder([shop({ client_consent: 'pending' }), REMOTE]);
    expect(await plane.answer(['n'], 'consent', 'give', 'shop')).toMatchObject({ code: 12 });
    expect(await consentIn(plane)).toBe('pending');
    const yes = await plane.answer(['y'], 'consent', 'give', 'shop');
    expect(yes).toMatchObject({ code: 0, stderr: expect.stringContaining('shop.mjs') });
    expect(await consentIn(plane)).toBe('approved');
    const far = await plane.answer(['n'], 'consent', 'give', 'far');
    expect(far.stderr).toContain('https://far.example.com/mcp');
    expect(far.stderr).toContain('elicitation');
    expect(await told(plane)).toMatchObject([
      { event: 'consented', server: 'shop', outcome: 'approved', by: OPERATOR, via: 'terminal' },
    ]);
    expect(await plane.answer([], 'consent', 'give', 'shop')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('already'),
    });
  });

  it('is refused in a pipe, and given with the key of a program', async () => {
    const plane = await planeFolder([shop({ client_consent: 'denied' })]);
    expect(await plane.runAs({}, 'consent', 'give', 'shop')).toMatchObject({ code: 11 });
    expect(await plane.run('consent', 'give', 'shop')).toMatchObject({ code: 0 });
    expect(await told(plane)).toMatchObject([{ event: 'consented', via: 'automation', key: 'tests' }]);
  });

  it('is withdrawn by anybody, and at once for processes that run', async () => {
    const plane = await planeFolder([shop()]);
    const done = await plane.runAs({}, 'consent', 'withdraw', 'shop');
    expect(done).toMatchObject({ code: 0, stdout: expect.stringContaining('quire mcp enable shop') });
    expect(await consentIn(plane)).toBe('denied');
    expect(await told(plane)).toMatchObject([
      { event: 'switched', outcome: 'off', via: 'command' },
      { event: 'consented', outcome: 'denied', by: OPERATOR, via: 'command' },
    ]);
  });

  it('lists who decided, how and when, and an edit of the file as what it is', async () => {
    const plane = await planeFolder([shop({ client_consent: 'pending' }), shop({ name: 'other' }), REMOTE]);
    await plane.run('consent', 'give', 'shop');
    const text = await fileText(plane.folder, 'quire.yaml');
    await putFile(
      plane.folder,
      'quire.yaml',
      text.replace('client_consent: pending', 'client_consent: denied'),
    );
    await plane.run('disable', 'other');
    const { stdout } = await plane.run('consent', '--json');
    expect(JSON.parse(stdout).data.consents).toMatchObject([
      { server: 'shop', consent: 'approved', by: OPERATOR, via: 'automation' },
      { server: 'other', consent: 'approved', by: null },
      { server: 'far', consent: 'denied', by: 'configuration', via: 'configuration' },
    ]);
    const one = await plane.run('consent', 'shop');
    expect(one.stdout).toContain(OPERATOR);
    expect(one.stdout).not.toContain('other');
    expect(await plane.run('consent', 'give', 'shpo')).toMatchObject({
      code: 4,
      stderr: expect.stringContaining('Did you mean shop?'),
    });
  });
});
