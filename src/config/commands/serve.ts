import { type CommandSpec, list, users, wholeNumber } from './command.ts';
import { notebookCommand } from './notebook.ts';
import { serving, toolSets } from './shared-options.ts';

/** Any notebooks over HTTP. */
export const serveCommand: CommandSpec = {
  settings: {},
  usual: { toolSets: ['history'] },
  log: { env: 'QUIRE_LOG', usual: 'info' },
  options: [
    {
      setting: 'serve.host',
      flag: '--host <address>',
      env: 'QUIRE_HOST',
      description: 'address to listen on (default: 127.0.0.1)',
    },
    {
      setting: 'serve.port',
      flag: '--port <number>',
      env: 'QUIRE_PORT',
      description: 'port to listen on (default: 8090)',
      parse: wholeNumber,
    },
    {
      setting: 'serve.publicUrl',
      flag: '--public-url <url>',
      env: 'QUIRE_PUBLIC_URL',
      description: 'the address clients reach this server at',
    },
    {
      setting: 'auth.mode',
      flag: '--auth <mode>',
      env: 'QUIRE_AUTH',
      description: 'who may call: none, bearer, jwt or oauth (default: none, on loopback only)',
    },
    {
      setting: 'auth.tokens',
      flag: '--auth-tokens <list>',
      env: 'QUIRE_AUTH_TOKENS',
      description: 'bearer: the tokens that open it, with commas between',
      secret: true,
      parse: list,
    },
    {
      setting: 'auth.users',
      flag: '--auth-users <list>',
      env: 'QUIRE_AUTH_USERS',
      description: 'oauth: user:bcrypt_hash pairs, with commas between',
      parse: users,
    },
    {
      setting: 'auth.jwtSecret',
      flag: '--jwt-secret <secret>',
      env: 'QUIRE_JWT_SECRET',
      description: 'jwt: shared secret of at least 32 characters',
      secret: true,
    },
    {
      setting: 'auth.jwtPublicKey',
      flag: '--jwt-public-key <pem>',
      env: 'QUIRE_JWT_PUBLIC_KEY',
      description: 'jwt: public key in PEM form',
    },
    {
      setting: 'auth.jwtJwksUrl',
      flag: '--jwt-jwks-url <url>',
      env: 'QUIRE_JWT_JWKS_URL',
      description: 'jwt: where the issuer publishes its keys',
    },
    {
      setting: 'auth.jwtIssuer',
      flag: '--jwt-issuer <issuer>',
      env: 'QUIRE_JWT_ISSUER',
      description: 'jwt: required issuer',
    },
    {
      setting: 'auth.jwtAudience',
      flag: '--jwt-audience <audience>',
      env: 'QUIRE_JWT_AUDIENCE',
      description: 'jwt: required audience',
    },
    ...serving,
    toolSets('the tools of each notebook', 'history'),
    ...notebookCommand.options.filter(({ setting }) => setting !== 'toolSets'),
  ],
};
