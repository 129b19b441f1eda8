/** Every code in its shape, from whatever depth it comes; and never the flag that hides it. */
import { expect, test } from 'vitest';
import { AppError, type ErrorCode } from '../../../src/shared/errors.ts';
import { openMemoryStore } from '../../../src/stores/memory.ts';
import { renderError } from '../../../src/surfaces/pages/render-error.ts';
import { withPages, withPagesOver } from '../../kit/server.ts';
import { errorOf, expectCode } from './support.ts';

test.each<[ErrorCode, string, number, boolean | undefined]>([
  ['not_found', 'not_found', 404, undefined],
  ['already_exists', 'already_exists', 409, undefined],
  ['conflict', 'conflict', 409, undefined],
  ['invalid_input', 'invalid_arguments', 400, undefined],
  ['forbidden', 'forbidden_path', 403, undefined],
  ['read_only', 'forbidden_path', 403, undefined],
  ['approval_required', 'forbidden_path', 403, undefined],
  ['unsupported', 'upstream', 415, false],
  ['unauthorized', 'upstream', 401, false],
  ['rate_limited', 'upstream', 429, true],
  ['upstream_failed', 'upstream', 502, true],
  ['timeout', 'upstream', 504, true],
  ['internal', 'internal', 500, undefined],
])('%s from below is %s %i', async (code, shown, status, transient) => {
  const store = {
    ...openMemoryStore(),
    list: async () => {
      throw new AppError(code, 'No luck', { subject: 'x', hint: 'Try this.' });
    },
  };
  const { call } = await withPagesOver(store);
  expect(errorOf(await call('list_pages'))).toEqual({
    error: shown,
    status,
    message: 'No luck: x',
    ...(transient !== undefined && { transient }),
    remediation: 'Try this.',
  });
});

test('a store may say which status it met, and whether trying again helps', () => {
  const { content, ...rest } = renderError(
    new AppError('upstream_failed', 'SilverBullet refused', { details: { status: 403, transient: false } }),
  );
  expect(rest).toEqual({});
  expect(JSON.parse((content[0] as { text: string }).text)).toMatchObject({
    error: 'upstream',
    status: 403,
    transient: false,
  });
});

test('every failure says what to do next, also an unexpected one', () => {
  for (const code of [
    'not_found',
    'conflict',
    'forbidden',
    'internal',
    'upstream_failed',
    'invalid_input',
  ] as const) {
    const { content } = renderError(new AppError(code, 'T'));
    expect(JSON.parse((content[0] as { text: string }).text).remediation).toMatch(/\w+ \w+/);
  }
});

test('an unforeseen failure shows a number and nothing of the inside', async () => {
  const store = {
    ...openMemoryStore(),
    read: async () => {
      throw new Error('secret place');
    },
  };
  const { call } = await withPagesOver(store);
  const answer = await call('read_page', { page: 'a' });
  expect(expectCode(answer, 'internal', { status: 500 }).message).toMatch(/^Internal error [0-9a-f]{8}$/);
  expect(answer.text).not.toContain('secret');
});

test('an unknown tool is content too, and the right one is suggested', async () => {
  const { call } = await withPages();
  const payload = expectCode(await call('read_pages', { page: 'a' }), 'not_found', { status: 404 });
  expect(payload.message).toBe('Unknown tool: read_pages');
  expect(payload.remediation).toBe('Did you mean read_page?');
  expect(expectCode(await call('zzz'), 'not_found').remediation).toContain('list_pages');
});

test('wrong arguments are content too, with the tool’s usage', async () => {
  const { call } = await withPages({ 'a.md': 'a' });
  const missing = expectCode(await call('create_page', { page: 'a' }), 'invalid_arguments', {
    status: 400,
    parameter: 'body',
  });
  expect(missing.message).toContain('body: is required');
  expect(missing.remediation).toBe('create_page takes: page, body.');
  expectCode(await call('read_page', {}), 'invalid_path', { status: 422, parameter: 'page' });
  expectCode(await call('move_page', { from: 'a', to: 7 }), 'invalid_path', { parameter: 'to' });
  const typo = expectCode(await call('list_pages', { include_trsh: true }), 'invalid_arguments');
  expect(typo.message).toContain('did you mean "include_trash"?');
});
