/** Configuration files in the shapes that the clients' own documents and settings editors make. */

export const JSON_SHAPES: Readonly<Record<string, string>> = {
  empty: '',
  'empty object': '{}',
  'empty object over lines': '{\n}\n',
  'empty servers': '{\n  "mcpServers": {}\n}\n',
  'servers with a comment only': '{\n  "mcpServers": {\n    // none yet\n  }\n}\n',
  'one server': `{
  "mcpServers": {
    "filesystem": {
      "command": "npx",
      "args": ["-y", "@modelcontextprotocol/server-filesystem", "/Users/me/Desktop"]
    }
  }
}
`,
  'server and preferences': `{
  "mcpServers": {
    "github": { "command": "docker", "args": ["run", "-i"], "env": { "TOKEN": "x" } }
  },
  "globalShortcut": "Ctrl+Space",
  "preferences": { "menuBarEnabled": false }
}`,
  'no servers yet': '{\n  "globalShortcut": "",\n  "nested": { "a": [1, 2, { "b": null }] }\n}\n',
  'comments and trailing commas': `// Zed settings
{
  "theme": "One Dark", // dark, of course
  /* fonts */
  "mcpServers": {
    "a": {
      "command": "x", // the program
      "args": [],
    }, // the first
    /* "b": {}, */
  },
}
`,
  'line comment behind the last':
    '{\n\t"mcpServers": {\n\t\t"a": { "url": "https://a.example/mcp" } // last\n\t}\n}\n',
  'one line': '{"mcpServers":{"a":{"command":"x"}},"other":true}',
  'braces on the last line': '{\n  "mcpServers": {\n    "a": {"command": "x"} } }',
  tabs: '{\n\t"mcpServers": {\n\t\t"a": {\n\t\t\t"command": "x"\n\t\t}\n\t}\n}\n',
  'four spaces, CRLF':
    '{\r\n    "mcpServers": {\r\n        "a": {\r\n            "command": "x"\r\n        }\r\n    }\r\n}\r\n',
  'a byte order mark': '\ufeff{\r\n  "mcpServers": {}\r\n}\r\n',
  'no line break at the end': '{\n  "mcpServers": {\n    "a": { "command": "x" }\n  }\n}',
  'odd spacing': '{ "mcpServers" :{"a" : {"command":"x"}  ,\n\n "z":{"url":"u"}}\n , "k": 1.50e+3 }',
  'unicode and escapes':
    '{"mcpServers": {"gr\\u00fcn \\"x\\"": {"command": "caf\u00e9 \ud83d\ude00 // no comment"}}}',
};

export const TOML_SHAPES: Readonly<Record<string, string>> = {
  empty: '',
  'no servers': 'model = "o3"\napproval_policy = "on-request"\n\n[tools]\nweb_search = true\n',
  'a table': `# Codex
model = "gpt-5"

[mcp_servers.docs]
command = "npx"
args = ["-y", "docs"] # as in its README

[mcp_servers.docs.env]
KEY = "a # b"

[projects."/home/me/x"]
trust_level = "trusted"
`,
  'inline in a table':
    '[mcp_servers]\ndocs = { command = "npx", args = ["-y", "docs"] }\n\n[tui]\nnotifications = true\n',
  'all inline': 'mcp_servers = { docs = { command = "x" } }\nmodel = "m"\n',
  'all inline, empty': 'mcp_servers = {}\n',
  'dotted keys': 'mcp_servers.docs.command = "x"\nmcp_servers.docs.args = [\n  "a", # one\n  "b]",\n]\n',
  'dotted keys in a table': '[mcp_servers]\ndocs.command = "x"\n',
  'quoted keys': '[ "mcp_servers" . \'a.b\' ]\nurl = "https://x/mcp"\n',
  'texts over lines':
    'note = """\n[mcp_servers.quire]\ncommand = "no"\n"""\nother = \'\'\'\n[x]\'\'\'\n\n[mcp_servers.a]\nurl = "u"',
  'CRLF, no end': 'model = "m"\r\n\r\n[mcp_servers.a]\r\ncommand = "x"',
  'a byte order mark': '\ufeffmodel = "m"\n',
  'arrays of tables':
    '[[hooks]]\nname = "a"\n\n[[hooks]]\nname = "b"\n[hooks.opts]\nx = 1979-05-27T07:32:00Z\n',
};

export const YAML_MAP_SHAPES: Readonly<Record<string, string>> = {
  empty: '',
  'comment only': '# goose\n',
  'no extensions': 'GOOSE_PROVIDER: anthropic\nGOOSE_MODEL: claude-4-sonnet\n',
  'as goose writes it': `GOOSE_PROVIDER: "anthropic"
GOOSE_MODEL: "claude-4.5-sonnet"
extensions:
  developer:
    bundled: true
    enabled: true
    name: developer
    timeout: 300
    type: builtin

  github:
    name: GitHub
    cmd: npx
    args: [-y, "@modelcontextprotocol/server-github"]
    enabled: true
    envs: { "GITHUB_PERSONAL_ACCESS_TOKEN": "<YOUR_TOKEN>" }
    type: stdio
    timeout: 300 # seconds
# after all of it
GOOSE_MODE: auto
`,
  'extensions last':
    'a: 1\nextensions:\n    x:\n        cmd: y\n        text: |\n            two\n            lines\n    # end of extensions\n',
  'extensions empty': 'extensions:\nb: 2\n',
  'extensions empty with a comment': 'a: 1\nextensions: # none\n',
  'extensions as empty flow': 'extensions: {}\nb: 2\n',
  'flow style': 'extensions: {a: {cmd: x}, b: {cmd: y}}\n',
  'flow over lines': 'extensions: {\n  a: {cmd: x}, # one\n}\n',
  'all flow': '{extensions: {a: {cmd: x}}, b: [1, 2]}\n',
  'no line break at the end': 'extensions:\n  a:\n    cmd: x',
  CRLF: 'extensions:\r\n  a:\r\n    cmd: x\r\n    args:\r\n    - b\r\nc: 1\r\n',
  'a byte order mark': '\ufeffextensions:\n  a:\n    cmd: x\n',
  'document start': '---\nextensions:\n  a: {cmd: x}\n',
};

export const YAML_LIST_SHAPES: Readonly<Record<string, string>> = {
  empty: '',
  'no servers': 'name: Local\nversion: 1.0.0\nschema: v1\nmodels:\n  - uses: a/b\n',
  'as in the docs': `name: MyProject
version: 0.0.1
schema: v1
mcpServers:
  - name: My MCP Server
    command: uvx
    args:
      - mcp-server-sqlite
      - --db-path
      - ./test.db # a file
    env:
      NODE_ENV: production
rules:
  - Be kind
`,
  'not indented': 'mcpServers:\n- name: a\n  url: https://a.example/mcp\n- uses: x/y\nz: 1\n',
  'flow list': 'mcpServers: [{name: a, command: x}]\n',
  'empty list': 'mcpServers: []\nz: 1\n',
  'empty key': 'mcpServers:\n\nz: 1\n',
  CRLF: 'mcpServers:\r\n  - name: a\r\n    command: x\r\n',
};
