/** `quire mcp disable <server>` and `enable`: takes a server out of use at once, without a change of the configuration. */
import { switchServer } from '../../governance/switch-server.ts';
import { type McpCommand, plainOutput, SERVER } from './command.ts';
import { confirmed, KEY_FILE, unconfirmed } from './person.ts';
import { withServer } from './plane.ts';

function switchCommand(
  name: 'enable' | 'disable',
  { summary, examples }: Pick<McpCommand, 'summary' | 'examples'>,
): McpCommand {
  const isOn = name === 'enable';
  return {
    name,
    summary,
    arguments: [SERVER],
    ...(isOn && { options: [KEY_FILE] }),
    examples,
    run: (call) =>
      withServer(call, async (plane, server) => {
        const decider = isOn
          ? await confirmed(call, plane.config, `Use ${server.name} again?`)
          : unconfirmed(call);
        await switchServer(plane, server, isOn, decider);
        const { rejections } = await plane.verdict(server);
        const isUsable = server.enabled && rejections.length === 0;
        if (isOn && !isUsable) call.note(`It still may not be used: see quire mcp servers`);
        const state = isOn ? 'on' : 'off';
        return plainOutput({ server: server.name, switched: state }, `${server.name}: switched ${state}`);
      }),
  };
}

export const disable = switchCommand('disable', {
  summary: 'take a server out of use at once, in every process',
  examples: [['disable mail', 'until it is enabled again; the configuration stays as it is']],
});

export const enable = switchCommand('enable', {
  summary: 'use a server again that was disabled',
  examples: [['enable mail', 'if the configuration allows it']],
});
