/** Variables by which other code gets into a server, or by which its package is fetched from elsewhere. */
import { type Rejection, rejectIf } from '../../upstream/definition.ts';

/** Variables that make a program load or run other code. */
const INJECTING = new Set(
  (
    'NODE_OPTIONS NODE_PATH NODE_REPL_EXTERNAL_MODULE BASH_ENV ENV SHELLOPTS BASHOPTS PS4 PROMPT_COMMAND ZDOTDIR ' +
    'PYTHONSTARTUP PYTHONPATH PYTHONHOME PYTHONINSPECT PYTHONBREAKPOINT PYTHONUSERBASE PYTHONPLATLIBDIR ' +
    'PERL5OPT PERL5LIB PERL5DB RUBYOPT RUBYLIB GEM_HOME GEM_PATH LUA_INIT LUA_PATH LUA_CPATH JULIA_LOAD_PATH ' +
    'R_PROFILE R_PROFILE_USER R_ENVIRON R_ENVIRON_USER PHPRC PHP_INI_SCAN_DIR ERL_FLAGS ERL_AFLAGS ERL_ZFLAGS ' +
    'JAVA_TOOL_OPTIONS JDK_JAVA_OPTIONS _JAVA_OPTIONS CLASSPATH DOTNET_STARTUP_HOOKS DOTNET_ADDITIONAL_DEPS ' +
    'GIT_SSH_COMMAND GIT_SSH GIT_EXEC_PATH GIT_ASKPASS GIT_PAGER GIT_EDITOR GIT_EXTERNAL_DIFF GIT_PROXY_COMMAND ' +
    'OPENSSL_CONF OPENSSL_ENGINES OPENSSL_MODULES GCONV_PATH RUSTC_WRAPPER GOFLAGS GOPROXY GOSUMDB JSR_URL PATH IFS'
  ).split(' '),
);
const INJECTING_PREFIXES = [
  'LD_',
  'DYLD_',
  'BASH_FUNC_',
  'GIT_CONFIG',
  'CORECLR_',
  'COR_PROFILER',
  'TS_NODE_',
];

/**
 * Package managers take any of their settings from variables: where packages come from, which scripts run, which file
 * has more settings. Only these, which do none of that, may be set.
 */
const PACKAGE_SETTINGS: Readonly<Record<string, readonly string[]>> = {
  NPM_CONFIG_: names(
    'LOGLEVEL CACHE YES FUND AUDIT UPDATE_NOTIFIER PROGRESS COLOR UNICODE OFFLINE PREFER_OFFLINE LOGS_DIR LOGS_MAX ' +
      'FETCH_TIMEOUT FETCH_RETRIES MAXSOCKETS IGNORE_SCRIPTS',
  ),
  PNPM_CONFIG_: names('LOGLEVEL CACHE_DIR STORE_DIR OFFLINE PREFER_OFFLINE IGNORE_SCRIPTS'),
  COREPACK_: names('HOME ENABLE_DOWNLOAD_PROMPT ENABLE_NETWORK ENABLE_STRICT'),
  YARN_: names(
    'CACHE_FOLDER GLOBAL_FOLDER ENABLE_TELEMETRY ENABLE_PROGRESS_BARS ENABLE_COLORS ENABLE_NETWORK',
  ),
  BUN_: names('INSTALL_CACHE_DIR RUNTIME_TRANSPILER_CACHE_PATH'),
  DENO_: names('DIR AUTH_TOKENS NO_PROMPT NO_UPDATE_CHECK NO_PACKAGE_JSON JOBS DEPLOY_TOKEN'),
  UV_: names(
    'CACHE_DIR NO_CACHE OFFLINE LINK_MODE NO_PROGRESS QUIET HTTP_TIMEOUT REQUEST_TIMEOUT CONCURRENT_DOWNLOADS ' +
      'CONCURRENT_BUILDS CONCURRENT_INSTALLS PYTHON_DOWNLOADS PYTHON_PREFERENCE PYTHON_INSTALL_DIR TOOL_DIR NATIVE_TLS ' +
      'SYSTEM_CERTS LOCKED FROZEN NO_CONFIG NO_ENV_FILE NO_BUILD COMPILE_BYTECODE EXCLUDE_NEWER NO_SYNC',
  ),
  PIP_: names(
    'CACHE_DIR NO_CACHE_DIR DISABLE_PIP_VERSION_CHECK NO_INPUT NO_COLOR QUIET PROGRESS_BAR DEFAULT_TIMEOUT TIMEOUT ' +
      'RETRIES ONLY_BINARY REQUIRE_HASHES ROOT_USER_ACTION',
  ),
  PIPX_: names('HOME BIN_DIR MAN_DIR'),
  POETRY_REPOSITORIES_: [],
  CARGO_REGISTR: [],
  CARGO_SOURCE_: [],
  BUNDLE_: [],
};

function names(words: string): readonly string[] {
  return words.split(' ');
}

export function judgeEnvironment(env: Readonly<Record<string, string>>): Rejection[] {
  const injecting = Object.keys(env).filter(injects);
  const sourcing = Object.keys(env).filter((name) => !injects(name) && changesPackages(name));
  return [
    ...rejectIf(
      injecting.length > 0,
      'env_code_injection',
      `env sets ${listed(injecting)}, by which other code gets into the server. Leave it out.`,
    ),
    ...rejectIf(
      injecting.length === 0 && sourcing.length > 0,
      'env_code_injection',
      `env sets ${listed(sourcing)}, by which another package is fetched or its scripts run. Leave it out; another registry belongs in args, where a reviewer sees it (npx --registry=…, uvx --default-index=…).`,
    ),
  ];
}

function listed(found: readonly string[]): string {
  return found.slice(0, 5).join(', ');
}

/** Case does not matter: npm reads its variables in lower case, and Windows ignores case. */
function injects(name: string): boolean {
  const upper = name.toUpperCase();
  return INJECTING.has(upper) || INJECTING_PREFIXES.some((prefix) => upper.startsWith(prefix));
}

function changesPackages(name: string): boolean {
  const upper = name.toUpperCase();
  const [prefix, harmless = []] =
    Object.entries(PACKAGE_SETTINGS).find(([start]) => upper.startsWith(start)) ?? [];
  return prefix !== undefined && !harmless.includes(upper.slice(prefix.length));
}
