/** Every setting of `quire trilium` by flag, variable and file, and which of them wins. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { asIs } from '../../src/config/commands/command.ts';
import { triliumCommand } from '../../src/config/commands/trilium.ts';
import { bytesIn } from '../../src/config/http-schema.ts';
import { loadConfig } from '../../src/config/load.ts';
import { temporaryFolder } from '../kit/temp.ts';

type Row = readonly [
  fileKey: string,
  setting: string,
  byFile: unknown,
  byEnv: readonly [text: string, value: unknown],
  byFlag: readonly [text: string | true, value: unknown],
];

const ROWS: readonly Row[] = [
  ['transport', 'transport', 'stdio', ['http', 'http'], ['stdio', 'stdio']],
  ['httpHost', 'host', '10.0.0.1', ['10.0.0.2', '10.0.0.2'], ['10.0.0.3', '10.0.0.3']],
  ['httpPort', 'port', 3001, ['3002', 3002], ['3003', 3003]],
  [
    'gatewayUrl',
    'publicUrl',
    'https://a.test',
    ['https://b.test', 'https://b.test'],
    ['https://c.test', 'https://c.test'],
  ],
  ['multiTenant', 'multiTenant', true, ['false', false], [true, true]],
  ['gatewayAuth', 'auth', 'none', ['bearer', 'bearer'], ['jwt', 'jwt']],
  ['gatewayTokens', 'tokens', ['a'], ['b, c', ['b', 'c']], ['d,e', ['d,e']]],
  ['urlAllowlist', 'urlAllowlist', ['a.test'], ['b.test,c.test', ['b.test', 'c.test']], ['d,e', ['d', 'e']]],
  ['allowPrivateUrls', 'allowPrivateUrls', true, ['0', false], [true, true]],
  ['messageAuth', 'messageAuth', true, ['no', false], [true, true]],
  ['maxPostBytes', 'maxPostBytes', 1_000, ['1gb', 1024 ** 3], ['512Ki', 512 * 1024]],
  ['metrics', 'metrics', true, ['no', false], [true, true]],
  ['metricsAuth', 'metricsAuth', 'none', ['bearer', 'bearer'], ['gateway', 'gateway']],
  ['metricsTokens', 'metricsTokens', ['a'], ['b,c', ['b', 'c']], ['d,e', ['d,e']]],
  ['metricsIncludePrincipal', 'metricsIncludePrincipal', true, ['false', false], [true, true]],
  ['corsOrigins', 'corsOrigins', ['a'], ['b,c', ['b', 'c']], ['d,e', ['d', 'e']]],
  ['rateLimitRps', 'rateLimitRps', 1, ['2.5', 2.5], ['3', 3]],
  ['rateLimitBurst', 'rateLimitBurst', 1, ['2', 2], ['3', 3]],
  ['jwtSecrets', 'jwtSecrets', ['a'], ['b,c', ['b', 'c']], ['d,e', ['d,e']]],
  [
    'jwtJwksUrl',
    'jwtJwksUrl',
    'https://a.test/k',
    ['https://b.test/k', 'https://b.test/k'],
    ['https://c.test/k', 'https://c.test/k'],
  ],
  ['jwtIssuer', 'jwtIssuer', 'a', ['b', 'b'], ['c', 'c']],
  ['jwtAudience', 'jwtAudience', 'a', ['b', 'b'], ['c', 'c']],
  ['jwtPrincipalClaim', 'jwtPrincipalClaim', 'a', ['b', 'b'], ['c', 'c']],
  ['allowedHosts', 'allowedHosts', ['a'], ['b,c', ['b', 'c']], ['d,e', ['d', 'e']]],
  ['trustedProxies', 'trustedProxies', ['10.0.0.1'], ['loopback', ['loopback']], ['private', ['private']]],
  [
    'forwardedHeader',
    'forwardedHeader',
    'x-forwarded-for',
    ['Forwarded', 'forwarded'],
    ['forwarded', 'forwarded'],
  ],
];

const optionFor = (setting: string) => {
  const found = triliumCommand.options.find((option) => option.setting === `gateway.${setting}`);
  if (!found) throw new Error(`no option for ${setting}`);
  return found;
};

async function load(
  content: Record<string, unknown>,
  env: Record<string, string> = {},
  flags: Record<string, unknown> = {},
) {
  const file = join(await temporaryFolder(), 'trilium-mcp.json');
  await writeFile(file, JSON.stringify(content));
  // A token, unless every client brings one.
  const isMany = content.multiTenant === true || flags['gateway.multiTenant'] === true;
  const token = isMany && env.TRILIUM_MULTI_TENANT === undefined ? {} : { TRILIUM_TOKEN: 'token' };
  return loadConfig({ spec: triliumCommand, commandFiles: [file], env: { ...token, ...env }, flags });
}

test.each(ROWS)('%s: flags over variables over the file', async (fileKey, setting, byFile, byEnv, byFlag) => {
  const { env, parse = asIs, parseFlag = parse, repeatable, setting: name } = optionFor(setting);
  const settingIn = ({ gateway }: Awaited<ReturnType<typeof load>>) =>
    gateway?.[setting as keyof typeof gateway];
  const content = { [fileKey]: byFile };
  expect(settingIn(await load(content))).toEqual(byFile);
  expect(settingIn(await load(content, { [env]: byEnv[0] }))).toEqual(byEnv[1]);
  const given =
    byFlag[0] === true ? true : repeatable ? [byFlag[0]].flatMap(parseFlag) : parseFlag(byFlag[0]);
  // With a flag for many Triliums there must be no token.
  const variables = setting === 'multiTenant' ? {} : { [env]: byEnv[0] };
  expect(settingIn(await load(content, variables, { [name]: given }))).toEqual(byFlag[1]);
});

test('every flag for HTTP has a row here', () => {
  const settings = triliumCommand.options
    .map(({ setting }) => setting)
    .filter((name) => name.startsWith('gateway.'));
  const rows = [...ROWS.map(([, setting]) => `gateway.${setting}`), 'gateway.readOnly', 'gateway.noDelete'];
  expect([...settings].sort()).toEqual(rows.sort());
});

test('a blank variable takes away nothing the file says', async () => {
  const env = Object.fromEntries(ROWS.map(([, setting]) => [optionFor(setting).env, ' ']));
  const content = { httpPort: 3001, metrics: true, urlAllowlist: ['a.test'], rateLimitRps: 5 };
  expect((await load(content, env)).gateway).toMatchObject({
    port: 3001,
    metrics: true,
    urlAllowlist: ['a.test'],
    rateLimitRps: 5,
  });
});

test('what is nowhere said is usual, and a blank variable says nothing', async () => {
  const { gateway } = await load(
    {},
    { TRILIUM_TRANSPORT: '', TRILIUM_JWT_ISSUER: ' ', TRILIUM_METRICS: 'false' },
  );
  expect(gateway).toMatchObject({
    transport: 'stdio',
    host: '127.0.0.1',
    port: 3000,
    multiTenant: false,
    tokens: [],
    urlAllowlist: [],
    allowPrivateUrls: false,
    maxPostBytes: 500 * 1024 ** 2,
    metricsAuth: 'gateway',
    corsOrigins: [],
    rateLimitRps: 0,
    rateLimitBurst: 0,
    jwtPrincipalClaim: 'sub',
  });
  expect(gateway?.auth).toBeUndefined();
  expect((await load({})).gateway).toBeUndefined();
});

test.each([
  ['500mb', 500 * 1024 ** 2],
  ['500 MB', 500 * 1024 ** 2],
  ['1gb', 1024 ** 3],
  ['512Ki', 512 * 1024],
  ['512KiB', 512 * 1024],
  ['2k', 2048],
  ['1.5m', 1.5 * 1024 ** 2],
  ['1048576', 1_048_576],
  ['0', undefined],
  ['-1', undefined],
  ['', undefined],
  ['5 apples', undefined],
  ['1e9', undefined],
  ['9999999t', undefined],
])('the size %s', (text, bytes) => {
  expect(bytesIn(text)).toBe(bytes);
});

test.each([
  [{ httpPort: '3000' }, 'httpPort of trilium-mcp.json: must be a port'],
  [{ transport: 'websocket' }, 'transport of trilium-mcp.json: must be stdio or http'],
  [{ gatewayAuth: 'basic' }, 'gatewayAuth of trilium-mcp.json: must be none, bearer, jwt or oauth'],
  [{ maxPostBytes: 'much' }, 'maxPostBytes of trilium-mcp.json: must be a size'],
  [{ multiTenant: 'yes' }, 'multiTenant of trilium-mcp.json: must be true or false'],
  [{ jwtJwksUrl: 'ftp://x' }, 'jwtJwksUrl of trilium-mcp.json: must be an http or https address'],
  [{ gatewayToken: 'x' }, 'key that is not known: gatewayToken'],
])('%o in the file is refused by name', async (content, message) => {
  await expect(load(content)).rejects.toThrow(message);
});
