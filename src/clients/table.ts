/**
 * The clients, one literal each, from their own documentation. `quire connect`, the instructions on the server's pages
 * and docs/use/connect.md are all made from this table. The order is that of instructions: the most used first.
 */
import { type Client, commandLine, type Launch } from './client.ts';
import { inAppData, inConfigHome, inFolder, inHome, inLocalAppData, inRoaming, pathsOf } from './places.ts';

const program = ({ command, args }: Launch) => ({ command, args });

const claudeDesktop: Client = {
  name: 'claude-desktop',
  title: 'Claude Desktop',
  format: 'json',
  servers: 'mcpServers',
  places(system) {
    const file = 'claude_desktop_config.json';
    const usual = inFolder(system, inAppData(system, 'Claude'), file);
    if (system.platform !== 'win32') return [usual];
    // As a Windows package, it is shown its own copy of %APPDATA%.
    const packaged = inLocalAppData(system, 'Packages', 'Claude_*', 'LocalCache', 'Roaming', 'Claude');
    const newer = inLocalAppData(system, 'Claude-Data', 'claude_*');
    return [
      usual,
      inFolder(system, packaged, file, 'Windows package'),
      inFolder(system, newer, file, 'Windows package'),
    ];
  },
  stdio: program,
  opens: 'Settings, Developer, Edit Config',
  next: 'Quit Claude Desktop completely and start it again.',
};

const claudeCode: Client = {
  name: 'claude-code',
  title: 'Claude Code',
  format: 'json',
  servers: 'mcpServers',
  movedBy: ['CLAUDE_CONFIG_DIR'],
  places(system) {
    const folder = system.env.CLAUDE_CONFIG_DIR;
    if (folder) return [inFolder(system, folder, '.claude.json')];
    const file = inHome(system, '.claude.json');
    return [
      { file, sign: file },
      { file, sign: inHome(system, '.claude'), without: file },
    ];
  },
  stdio: (launch) => ({ type: 'stdio', ...program(launch) }),
  http: (url) => ({ type: 'http', url }),
  next: 'Start a new session of Claude Code; /mcp lists the server.',
  command: (target, name) =>
    'url' in target
      ? `claude mcp add --scope user --transport http ${name} ${target.url}`
      : `claude mcp add --scope user ${name} -- ${commandLine(target.launch)}`,
};

const cursor: Client = {
  name: 'cursor',
  title: 'Cursor',
  format: 'json',
  servers: 'mcpServers',
  places: (system) => [inFolder(system, inHome(system, '.cursor'), 'mcp.json')],
  stdio: program,
  http: (url) => ({ url }),
  next: 'Cursor reads the file again by itself; Settings, Tools & MCP shows the server. Restart Cursor if it does not.',
};

const vsCode: Client = {
  name: 'vscode',
  title: 'VS Code',
  format: 'json',
  servers: 'servers',
  movedBy: ['VSCODE_PORTABLE', 'VSCODE_APPDATA'],
  places(system) {
    const { join } = pathsOf(system);
    const { VSCODE_PORTABLE: portable, VSCODE_APPDATA: appData } = system.env;
    const inData = (name: string) =>
      appData ? join(appData, name, 'User') : inAppData(system, name, 'User');
    const places = [
      inFolder(system, inData('Code'), 'mcp.json'),
      inFolder(system, inData('Code - Insiders'), 'mcp.json', 'Insiders'),
    ];
    // Portable VS Code sets the variable for the programs that are started in its terminal.
    if (portable)
      places.unshift(inFolder(system, join(portable, 'user-data', 'User'), 'mcp.json', 'portable'));
    return places;
  },
  stdio: (launch) => ({ type: 'stdio', ...program(launch) }),
  http: (url) => ({ type: 'http', url }),
  opens: 'the command "MCP: Open User Configuration"',
  next: 'In VS Code run the command "MCP: List Servers", choose the server and start it.',
};

const windsurf: Client = {
  name: 'windsurf',
  title: 'Windsurf',
  format: 'json',
  servers: 'mcpServers',
  places: (system) => [inFolder(system, inHome(system, '.codeium', 'windsurf'), 'mcp_config.json')],
  stdio: program,
  http: (url) => ({ serverUrl: url }),
  next: 'In Windsurf press refresh in the list of MCP servers.',
};

const zed: Client = {
  name: 'zed',
  title: 'Zed',
  format: 'json',
  servers: 'context_servers',
  places(system) {
    const { platform, env } = system;
    const { join } = pathsOf(system);
    const byHome = platform === 'darwin' ? inHome(system, '.config', 'zed') : inConfigHome(system, 'zed');
    const flatpak = platform === 'linux' ? env.FLATPAK_XDG_CONFIG_HOME : undefined;
    const folder = platform === 'win32' ? inRoaming(system, 'Zed') : flatpak ? join(flatpak, 'zed') : byHome;
    return [inFolder(system, folder, 'settings.json')];
  },
  stdio: program,
  http: (url) => ({ url }),
  opens: 'the command "zed: open settings file"',
  next: 'Zed reads the file again by itself; the settings of the Agent Panel show the server.',
};

const codex: Client = {
  name: 'codex',
  title: 'Codex CLI',
  format: 'toml',
  servers: 'mcp_servers',
  movedBy: ['CODEX_HOME'],
  places: (system) => [inFolder(system, system.env.CODEX_HOME || inHome(system, '.codex'), 'config.toml')],
  stdio: program,
  http: (url) => ({ url }),
  next: 'Start a new session of Codex; /mcp lists the server.',
  command: (target, name) =>
    'url' in target
      ? `codex mcp add ${name} --url ${target.url}`
      : `codex mcp add ${name} -- ${commandLine(target.launch)}`,
};

const gemini: Client = {
  name: 'gemini',
  title: 'Gemini CLI',
  format: 'json',
  servers: 'mcpServers',
  movedBy: ['GEMINI_CLI_HOME'],
  places(system) {
    const root = system.env.GEMINI_CLI_HOME || system.home;
    return [inFolder(system, pathsOf(system).join(root, '.gemini'), 'settings.json')];
  },
  stdio: program,
  http: (url) => ({ httpUrl: url }),
  next: 'Restart Gemini CLI; /mcp lists the server.',
};

const goose: Client = {
  name: 'goose',
  title: 'Goose',
  format: 'yaml',
  servers: 'extensions',
  movedBy: ['GOOSE_PATH_ROOT'],
  places(system) {
    const { env, platform } = system;
    const root = env.GOOSE_PATH_ROOT;
    if (root) return [inFolder(system, pathsOf(system).join(root, 'config'), 'config.yaml')];
    const folder =
      platform === 'win32' ? inRoaming(system, 'Block', 'goose', 'config') : inConfigHome(system, 'goose');
    return [inFolder(system, folder, 'config.yaml')];
  },
  stdio: ({ command, args }, name) => ({
    enabled: true,
    type: 'stdio',
    name,
    description: 'Your notes, by Quire',
    cmd: command,
    args,
    timeout: 300,
  }),
  http: (url, name) => ({
    enabled: true,
    type: 'streamable_http',
    name,
    description: 'Your notes, by Quire',
    uri: url,
    timeout: 300,
  }),
  next: 'Start a new session of Goose.',
};

const lmStudio: Client = {
  name: 'lm-studio',
  title: 'LM Studio',
  format: 'json',
  servers: 'mcpServers',
  places(system) {
    const usual = inHome(system, '.lmstudio');
    return [
      inFolder(system, usual, 'mcp.json'),
      // Installations that are older than the folder above keep theirs.
      { ...inFolder(system, inHome(system, '.cache', 'lm-studio'), 'mcp.json'), without: usual },
    ];
  },
  stdio: program,
  http: (url) => ({ url }),
  opens: 'Program, Install, Edit mcp.json',
  next: 'In LM Studio open the Program tab and switch the server on.',
};

const continueDev: Client = {
  name: 'continue',
  title: 'Continue',
  format: 'yaml',
  servers: 'mcpServers',
  isList: true,
  movedBy: ['CONTINUE_GLOBAL_DIR'],
  places(system) {
    const folder = system.env.CONTINUE_GLOBAL_DIR || inHome(system, '.continue');
    const { join } = pathsOf(system);
    const file = join(folder, 'config.yaml');
    // A new config.yaml would take the place of an old config.json, so the server then gets a file of its own.
    return [
      { file, sign: file },
      { file: join(folder, 'mcpServers', 'quire.yaml'), sign: folder, without: file },
    ];
  },
  stdio: (launch, name) => ({ name, ...program(launch) }),
  http: (url, name) => ({ name, type: 'streamable-http', url }),
  newFile: 'name: Quire\nversion: 0.0.1\nschema: v1\n',
  next: 'Continue reads the file again by itself; its tools are there in agent mode.',
};

const cline: Client = {
  name: 'cline',
  title: 'Cline',
  format: 'json',
  servers: 'mcpServers',
  movedBy: ['CLINE_MCP_SETTINGS_PATH'],
  places(system) {
    const { join } = pathsOf(system);
    const named = system.env.CLINE_MCP_SETTINGS_PATH;
    if (named) return [{ file: named, sign: pathsOf(system).dirname(named) }];
    const file = 'cline_mcp_settings.json';
    const data = inHome(system, '.cline', 'data');
    const extension = join('User', 'globalStorage', 'saoudrizwan.claude-dev');
    const older = (code: string) => inAppData(system, code, extension);
    return [
      { file: join(data, 'settings', file), sign: data },
      inFolder(system, join(older('Code'), 'settings'), file, 'older extension of VS Code'),
      inFolder(
        system,
        join(older('Code - Insiders'), 'settings'),
        file,
        'older extension of VS Code Insiders',
      ),
    ];
  },
  stdio: program,
  http: (url) => ({ type: 'streamableHttp', url }),
  opens: 'MCP Servers, Configure, Configure MCP Servers',
  next: 'Cline reads the file again by itself; its list of MCP servers shows the server.',
};

export const CLIENTS: readonly Client[] = [
  claudeDesktop,
  claudeCode,
  cursor,
  vsCode,
  windsurf,
  zed,
  codex,
  gemini,
  goose,
  lmStudio,
  continueDev,
  cline,
];
