/** Server and database of an address, without who logs in. The address of a socket is none to the URL class. */
export function databasePlace(address: string): string {
  const [, host = '', database = ''] = /^\w+:\/\/(?:[^/?]*@)?([^/?]*)\/?([^?]*)/.exec(address) ?? [];
  const socket = /[?&]host=([^&]*)/.exec(address)?.[1];
  return `${host || decodeURIComponent(socket ?? 'localhost')}/${database}`;
}
