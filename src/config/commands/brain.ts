import { type CommandFlag, type CommandSpec, wholeNumber } from './command.ts';
import { extensions, ignore, readOnly, serving, toolSets } from './shared-options.ts';

const token: CommandFlag = {
  setting: 'auth.tokens',
  flag: '--token <token>',
  env: 'SB_SERVE_TOKEN',
  description: 'http: the bearer token that opens it',
  secret: true,
  parse: (text) => [text],
};

/** All notebooks as one second brain, over stdio or HTTP. */
export const brainCommand: CommandSpec = {
  settings: {},
  usual: { 'serve.port': 8765, 'serve.bodyLimitMb': 4 },
  log: { env: 'QUIRE_LOG', usual: 'warn', to: 'stderr' },
  options: [
    extensions('read'),
    ignore,
    readOnly,
    { ...toolSets('brain', 'brain', ['history']), setting: 'brain.toolSets' },
    {
      setting: 'brain.embeddings',
      flag: '--embeddings <kind>',
      env: 'QUIRE_EMBEDDINGS',
      description: 'find by meaning too: auto or off (default: auto)',
    },
    {
      setting: 'brain.ingest',
      flag: '--ingest <notebook>',
      env: 'QUIRE_INGEST',
      description: 'the notebook sb_ingest writes to (default: the first that may be changed)',
    },
    {
      setting: 'llm.base_url',
      flag: '--llm-url <url>',
      env: 'QUIRE_LLM_URL',
      description: 'an OpenAI-compatible server that writes answers, e.g. http://127.0.0.1:11434/v1',
    },
    {
      setting: 'llm.model',
      flag: '--llm-model <name>',
      env: 'QUIRE_LLM_MODEL',
      description: 'the model there',
    },
    {
      setting: 'llm.api_key',
      flag: '--llm-key <key>',
      env: 'QUIRE_LLM_KEY',
      description: 'its key, if it needs one',
      secret: true,
    },
    {
      setting: 'serve.host',
      flag: '--host <address>',
      env: 'QUIRE_HOST',
      description: 'http: address to listen on (default: 127.0.0.1)',
    },
    {
      setting: 'serve.port',
      flag: '--port <number>',
      env: 'QUIRE_PORT',
      description: 'http: port to listen on (default: 8765)',
      parse: wholeNumber,
    },
    token,
    { ...token, setting: 'auth.mode', description: '', parse: () => 'bearer' },
    ...serving,
  ],
};

/** `sb serve` over HTTP, which speaks 2025-11-25 and nothing else. */
export const strictBrainCommand: CommandSpec = {
  ...brainCommand,
  usual: { ...brainCommand.usual, 'serve.strict': true },
  options: brainCommand.options.filter(({ setting }) => setting !== 'serve.protocol'),
};

/** `quire brain eval`, which reads notes and serves nothing. */
export const brainEvalCommand: CommandSpec = {
  settings: {},
  log: brainCommand.log,
  options: [extensions('read'), ignore],
};
