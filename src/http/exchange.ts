export type { Caller, Handler, Route } from '../shared/exchange.ts';
