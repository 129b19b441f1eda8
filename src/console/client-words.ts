/** A client in words a person can judge it by. */
import { type Html, html } from './html.ts';

export interface ShownClient {
  /** Chosen by the client. */
  readonly name: string;
  /** Who vouches for the name: the operator, the site its description is at, or nobody. */
  readonly vouchedBy:
    | { readonly kind: 'operator' }
    | { readonly kind: 'site'; readonly host: string }
    | { readonly kind: 'nobody' };
  readonly destination: ShownDestination;
}

/** Who gets the answer: a site, something on the person's own device, an app that answers to a scheme. */
export interface ShownDestination {
  readonly kind: 'web' | 'device' | 'app';
  readonly host: string;
}

/** To be put after "back to". */
export function describeDestination({ kind, host }: ShownDestination): Html {
  switch (kind) {
    case 'web':
      return html`<b>${host}</b>`;
    case 'device':
      return html`a program on <b>this device</b> (${host})`;
    case 'app':
      return html`the app on this device that opens <b>${host}</b> links`;
  }
}

export function describeVoucher({ vouchedBy }: ShownClient): Html {
  switch (vouchedBy.kind) {
    case 'operator':
      return html`<b>whoever runs this server</b>, who set it up`;
    case 'site':
      return html`<b>${vouchedBy.host}</b>`;
    case 'nobody':
      return html`<b>nobody</b>: it chose its name itself`;
  }
}
