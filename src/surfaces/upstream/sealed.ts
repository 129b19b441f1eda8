/**
 * What we have to remember between the rounds of a call, in the hands of the client: it can read it and give it back,
 * and can neither change it nor use it for another call or as somebody else. The key lives as long as the process.
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

export interface Seal<T> {
  /** `to` is what it is good for. */
  close(content: T, to: string): string;
  /** Undefined for what was changed, is too old, or was made for something else. */
  open(sealed: string, to: string): T | undefined;
}

const MAX_LENGTH = 256 * 1024;

export function createSeal<T>({ forMs, now }: { forMs: number; now: () => number }): Seal<T> {
  const key = randomBytes(32);
  const markOf = (body: string, to: string) =>
    createHmac('sha256', key)
      .update(JSON.stringify([body, to]))
      .digest();
  return {
    close(content, to) {
      const body = Buffer.from(JSON.stringify({ content, until: now() + forMs })).toString('base64url');
      return `${body}.${markOf(body, to).toString('base64url')}`;
    },
    open(sealed, to) {
      const [body = '', mark = '', ...more] = sealed.length > MAX_LENGTH ? [] : sealed.split('.');
      const given = Buffer.from(mark, 'base64url');
      const own = markOf(body, to);
      // A mark has one spelling only.
      if (more.length > 0 || given.toString('base64url') !== mark) return undefined;
      if (given.length !== own.length || !timingSafeEqual(given, own)) return undefined;
      const { content, until } = JSON.parse(Buffer.from(body, 'base64url').toString('utf8')) as {
        content: T;
        until: number;
      };
      return until < now() ? undefined : content;
    },
  };
}
