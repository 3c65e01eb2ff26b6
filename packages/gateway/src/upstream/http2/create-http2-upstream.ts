import type { Upstream } from '../../port/upstream.ts';
import type { Http1UpstreamOptions } from '../http1/create-http1-upstream.ts';
import { createHttp1Upstream } from '../http1/create-http1-upstream.ts';
import { Http2Session } from './http2-session.ts';

/** Streams to open before an instance has sent its limit. RFC 9113 section 6.5.2 recommends a limit of at least 100. */
const STREAMS_AT_FIRST = 100;

/**
 * Creates an HTTP/2 client for an instance, without TLS (h2c, prior knowledge). Requests share a connection, and another one is opened
 * when its streams are used up. Upgrades use HTTP/1.1 on the same port, because few servers support WebSockets over HTTP/2.
 */
export function createHttp2Upstream(options: Extract<Http1UpstreamOptions, { readonly host: string }>): Upstream {
  const http1 = createHttp1Upstream(options);
  const sessions = new Set<Http2Session>();
  let streamsAtFirst = STREAMS_AT_FIRST;

  const sessionWithRoom = (): Http2Session => {
    for (const session of sessions) if (session.hasCapacity) return session;
    const session = new Http2Session({
      ...options,
      streamsAtFirst,
      onStreamsKnown(count) {
        streamsAtFirst = count;
      },
      onGone: () => sessions.delete(session),
    });
    sessions.add(session);
    return session;
  };

  return {
    open(request, handler, avoidStale) {
      if (request.upgrade !== undefined) return http1.open(request, handler, avoidStale);
      return sessionWithRoom().open(request, handler);
    },
    prune(everyone = false) {
      http1.prune(everyone);
      // One idle session is kept: HTTP/2 announces a close with GOAWAY, so reuse is safe. It is closed before the instance is suspended.
      for (const session of sessions) {
        if (session.isIdle && (everyone || sessions.size > 1)) session.close();
      }
    },
    destroy() {
      http1.destroy();
      for (const session of [...sessions]) session.breakOff();
    },
  };
}
