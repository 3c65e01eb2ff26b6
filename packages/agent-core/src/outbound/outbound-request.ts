import type { GuardedRequestOptions } from '@berth/outbound';

/** Something to be asked of the world outside. */
export interface OutboundRequest
  extends Pick<
    GuardedRequestOptions,
    | 'url'
    | 'method'
    | 'headers'
    | 'body'
    | 'timeoutMs'
    | 'silenceMs'
    | 'totalMs'
    | 'maxBytes'
    | 'maxRedirects'
    | 'signal'
  > {
  /** Whether `http://` may be spoken with the public internet too, for what holds no secret: reading web pages. */
  readonly isHttpAllowed?: boolean;
}
