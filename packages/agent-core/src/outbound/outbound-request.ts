import type { GuardedRequestOptions } from '@berth/outbound';

/** A request to a URL that a person, a model or a third-party server named. */
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
  /** Allows `http://` to the public internet too, for requests without secrets such as reading web pages. */
  readonly isHttpAllowed?: boolean;
}
