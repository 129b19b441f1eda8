/** How a caller presents an access token. */
export type Presentation =
  /** Alone (RFC 6750). */
  | { readonly scheme: 'bearer' }
  /** With a proof that the caller has the key it is bound to (RFC 9449). */
  | {
      readonly scheme: 'dpop';
      /** The header `DPoP`; undefined where it is missing. */
      readonly proof: string | undefined;
      readonly method: string;
      /** Below the public address of this server. */
      readonly path: string;
    }
  /** Not again: it was accepted when the stream was opened that it is asked for now. */
  | { readonly scheme: 'accepted' };

export const BEARER: Presentation = { scheme: 'bearer' };
export const ACCEPTED: Presentation = { scheme: 'accepted' };

/** Algorithms of the proofs that are accepted. */
export const PROOF_ALGORITHMS = ['ES256', 'ES384', 'EdDSA', 'Ed25519', 'PS256', 'RS256'];
