/** A chat without a model, in a browser: a client of the server, and the bridge of the official package to the view. */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { AppBridge, PostMessageTransport } from '@modelcontextprotocol/ext-apps/app-bridge';

const INFO = { name: 'basic host', version: '1' };
const EXTENSIONS = { 'io.modelcontextprotocol/ui': { mimeTypes: ['text/html;profile=mcp-app'] } };
let client;
let tools;

window.connect = async (server) => {
  client = new Client(INFO, { capabilities: { extensions: EXTENSIONS } });
  await client.connect(new StreamableHTTPClientTransport(new URL(server)));
  ({ tools } = await client.listTools());
};

/** What a model may call, and what it sees of the answer. */
window.callAsModel = async (name, args) => {
  const { content, structuredContent, isError } = await client.callTool({ name, arguments: args });
  return { content, structuredContent, isError };
};

/** Calls a tool and shows its view. */
window.show = async (name, args, { sandbox, theme }) => {
  const tool = tools.find((one) => one.name === name);
  const result = await client.callTool({ name, arguments: args });
  const { contents } = await client.readResource({ uri: tool._meta.ui.resourceUri });
  const frame = document.createElement('iframe');
  frame.title = name;
  frame.setAttribute('sandbox', 'allow-scripts allow-same-origin');
  const isReady = new Promise((resolve) => {
    window.addEventListener('message', function ready({ source, data }) {
      if (source !== frame.contentWindow || data?.method !== 'ui/notifications/sandbox-proxy-ready') return;
      window.removeEventListener('message', ready);
      resolve();
    });
  });
  frame.src = sandbox;
  document.body.replaceChildren(frame);
  await isReady;
  const bridge = new AppBridge(
    client,
    INFO,
    { serverTools: {}, serverResources: {} },
    // No toolInfo: it is optional, and the basic host of the extension's examples gives none.
    { hostContext: { theme } },
  );
  const isInitialized = new Promise((resolve) => {
    bridge.oninitialized = resolve;
  });
  bridge.onsizechange = ({ height }) => {
    if (height !== undefined) frame.style.height = `${height}px`;
  };
  await bridge.connect(new PostMessageTransport(frame.contentWindow, frame.contentWindow));
  await bridge.sendSandboxResourceReady({ html: contents[0].text, csp: contents[0]._meta?.ui?.csp });
  await isInitialized;
  await bridge.sendToolInput({ arguments: args });
  await bridge.sendToolResult(result);
};
