/** Commands, options and variables by which a reviewed program would start or fetch something that nobody reviewed. */
import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { judgeEnvironment } from '../../src/governance/safety/environment.ts';
import { isShellOrLauncher, judgeArguments } from '../../src/governance/safety/inline-code.ts';
import { judgeFound } from '../../src/governance/safety/launch.ts';
import { temporaryFolder } from '../kit/temp.ts';

const words = (line: string) => line.split(' ').filter((word) => word !== '');

test.each(
  words(
    `awk gawk mawk /usr/bin/awk find xargs env sudo sudoedit ssh scp nsenter unshare setpriv script busybox perf gdb
     strace sed make vim tmux socat nc git tar coreutils /lib64/ld-linux-x86-64.so.2 ld.so ld-2.31.so ld64.so.1
     /lib/ld-musl-x86_64.so.1 /lib/ld-linux-aarch64.so.1 bwrap firejail tclsh`.replaceAll('\n', ' '),
  ),
)('%s starts other programs', (command) => {
  expect(isShellOrLauncher(command)).toBe(true);
});

test.each(
  words(
    'node npx uvx python3 docker ld load good-server mcp-server-git server-time finder make-server awkward',
  ),
)('%s does not', (command) => {
  expect(isShellOrLauncher(command)).toBe(false);
});

test('a link to the dynamic loader or to awk is no server', async () => {
  const folder = await temporaryFolder({ 'ld-linux-x86-64.so.2': '', gawk: '' });
  for (const target of ['ld-linux-x86-64.so.2', 'gawk']) {
    await symlink(join(folder, target), join(folder, `link-${target.length}`));
    const found = { path: join(folder, `link-${target.length}`), realPath: join(folder, target) };
    expect((await judgeFound(found)).map(({ code }) => code)).toContain('command_resolves_to_shell');
  }
});

describe('arguments', () => {
  test.each([
    'node --inspect=0.0.0.0 server.js',
    'node --inspect server.js',
    'node --inspect-brk=0.0.0.0:9229 server.js',
    'node --inspect-wait server.js',
    'node --inspect_port=1 server.js',
    'node inspect server.js',
    'node --no-warnings --inspect-brk server.js',
    'node --experimental-default-config-file server.js',
    'bun --inspect server.ts',
    'bun exec x',
    'deno run --inspect-brk server.ts',
    'tsx --inspect server.ts',
    'npx -y node@22 --inspect server.js',
    'npx --userconfig=/tmp/npmrc server',
    'uv run --env-file x server.py',
    'uvx python -m timeit x',
    'python -m timeit x',
    'python -mpdb server.py',
    'python -Bm code',
    'python3.12 -m idlelib.idle',
    'perl -e x',
    'perl -ne x',
    'lua -e x',
    'Rscript -e x',
    'julia --eval=x',
    'elixir -e x',
    'java -javaagent:evil.jar -jar server.jar',
    'java -cp x -agentlib:jdwp=transport=dt_socket,server=y,address=*:5005 Main',
    'java -XX:OnError=x -jar server.jar',
    'php -d auto_prepend_file=x server.php',
    'docker run -i --rm image sh -c x',
    'docker run -i --rm --entrypoint bash image',
    'docker run -i --rm --entrypoint=/bin/sh image',
    'docker run -i node:22 -e x',
    'docker run -i docker.io/library/python:3 -c x',
    'docker run -i python python -c x',
    'docker run -i bash:5',
    'docker exec -i box sh',
    'podman run -i alpine /bin/ash',
  ])('%s brings code', (line) => {
    const [command = '', ...args] = words(line);
    expect(judgeArguments([command], args).map(({ code }) => code)).toEqual(['args_inline_code']);
  });

  test.each([
    'docker run -i --rm --privileged image',
    'docker run --privileged=true image',
    'docker run -v /:/host image',
    'docker run -v/:/host image',
    'docker run -itv /:/host image',
    'docker run --volume=/:/host:ro image',
    'docker run --volume //:/host image',
    'docker run -v /home/../:/host image',
    'docker run -v /etc:/etc image',
    'docker run -v /home/alex:/h image',
    'docker run -v /home/alex/.ssh:/k image',
    'docker run -v /var/run/docker.sock:/var/run/docker.sock image',
    'docker run -v /run/user/1000/podman/podman.sock:/s image',
    'docker run --mount type=bind,source=/,target=/host image',
    'docker run --mount=type=bind,src=/proc,dst=/p image',
    'docker run --pid=host image',
    'docker run --pid host image',
    'docker run --net=host image',
    'docker run --network host image',
    'docker run --network=container:db image',
    'docker run --ipc=host image',
    'docker run --userns=host image',
    'docker run --cap-add SYS_ADMIN image',
    'docker run --device=/dev/sda image',
    'docker run --security-opt seccomp=unconfined image',
    'docker run --security-opt apparmor=unconfined image',
    'docker run --volumes-from db image',
    'docker container run --privileged image',
    'docker --context x run --privileged image',
    'docker exec -i --privileged box server',
    'podman run --privileged image',
    'podman run --rootfs /',
    'nerdctl run -v /:/host image',
  ])('%s leaves the container', (line) => {
    const [command = '', ...args] = words(line);
    expect(judgeArguments([command], args).map(({ code }) => code)).toEqual(['args_unconfined']);
  });

  test.each([
    'npx -y @modelcontextprotocol/server-memory',
    'npx -y @acme/ssh@1.2.3 --host x',
    'npx --global --yes server',
    'npx --registry=https://npm.example.com -y server@1.0.0',
    'uvx x',
    'uvx --default-index=https://pypi.example.com/simple x==1.0',
    'uv --directory /srv/app run server.py',
    'node dist/index.js',
    'node --enable-source-maps dist/index.js --inspect',
    'python -m mcp_server_time --local-timezone Europe/Berlin',
    'python -m coder -c config',
    'java -jar server.jar -c x',
    'lua server.lua -e x',
    'docker run -i --rm image',
    'docker run -i --rm -e API_KEY mcp/time',
    'docker run --rm -i --init --pull=always ghcr.io/github/github-mcp-server',
    'docker run -i --rm -v /home/alex/notes:/notes:ro mcp/filesystem /notes',
    'docker run -i --rm -v data:/data mcp/memory',
    'docker run -i --rm -v /etc/localtime:/etc/localtime:ro image',
    'docker run -i --rm --mount type=bind,src=/srv/files,dst=/files mcp/filesystem /files',
    'docker run -i --rm --network=none --read-only --cap-drop ALL --security-opt no-new-privileges image',
    'docker run -i --rm image --privileged -v /:/x',
    'docker run -i --rm mcp/git watch',
    'docker exec -i box node server.js',
    'docker mcp gateway run --servers=duckduckgo',
    'podman run -i --rm --userns=keep-id image',
  ])('%s is fine', (line) => {
    const [command = '', ...args] = words(line);
    expect(judgeArguments([command], args)).toEqual([]);
  });
});

describe('variables', () => {
  test.each(
    words(
      `npm_config_registry NPM_CONFIG_REGISTRY Npm_Config_Registry npm_config_userconfig npm_config_script_shell
       npm_config_node_options npm_config__auth npm_config_https_proxy UV_INDEX_URL uv_index_url UV_DEFAULT_INDEX
       UV_INDEX UV_EXTRA_INDEX_URL UV_FIND_LINKS UV_CONFIG_FILE UV_PYTHON PIP_INDEX_URL PIP_EXTRA_INDEX_URL
       PIP_CONFIG_FILE PIP_TRUSTED_HOST PIPX_DEFAULT_PYTHON YARN_NPM_REGISTRY_SERVER YARN_RC_FILENAME
       YARN_YARN_PATH BUN_CONFIG_REGISTRY BUN_OPTIONS BUN_INSPECT DENO_CERT DENO_V8_FLAGS JSR_URL GOPROXY
       COREPACK_NPM_REGISTRY OPENSSL_CONF DOTNET_STARTUP_HOOKS LUA_INIT PYTHONUSERBASE LD_PRELOAD`.replaceAll(
        '\n',
        ' ',
      ),
    ),
  )('%s is refused', (name) => {
    expect(judgeEnvironment({ API_KEY: 'x', [name]: 'x' }).map(({ code }) => code)).toEqual([
      'env_code_injection',
    ]);
  });

  test.each(
    words(
      'API_KEY HOME npm_config_loglevel npm_config_cache UV_CACHE_DIR UV_OFFLINE PIP_CACHE_DIR DENO_DIR YARN_CACHE_FOLDER UVICORN_PORT PIPELINE_ID',
    ),
  )('%s is not', (name) => {
    expect(judgeEnvironment({ [name]: 'x' })).toEqual([]);
  });

  test('the reason says where another registry belongs', () => {
    expect(judgeEnvironment({ UV_INDEX_URL: 'x' })[0]?.reason).toMatch(
      /^env sets UV_INDEX_URL.*--default-index/,
    );
  });
});
