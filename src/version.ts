import manifest from '../package.json' with { type: 'json' };

export const VERSION: string = manifest.version;

/** The versions of Node that it runs on, such as `>=20.19`. */
export const NODE_NEEDED: string = manifest.engines.node;
