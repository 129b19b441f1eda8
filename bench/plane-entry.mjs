// A server of the governed plane as the benchmarks configure it: no sandbox, since that costs at the start, not at a call.

export const UNCONFINED = { backend: 'process', policy: 'warn' };

export function serverEntry(name, file) {
  return {
    name,
    transport: 'stdio',
    command: process.execPath,
    args: [file],
    stdio_allowed_commands: [process.execPath],
    manifest_digest: `sha256:${'0'.repeat(64)}`,
    manifest_signature: 'key:c2lnbmF0dXJl',
    sandbox_profile: 'restricted',
    client_consent: 'approved',
    trust: 'trusted',
    first_definitions: 'accept',
  };
}
