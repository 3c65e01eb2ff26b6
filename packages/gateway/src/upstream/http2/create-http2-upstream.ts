import type { Upstream } from '../../port/upstream.ts';
import type { Http1UpstreamOptions } from '../http1/create-http1-upstream.ts';
import { createHttp1Upstream } from '../http1/create-http1-upstream.ts';
import { Http2Session } from './http2-session.ts';

/** RFC 9113 section 6.5.2 recommends that nobody allows fewer. */
const STREAMS_AT_FIRST = 100;

/**
 * Speaks HTTP/2 without TLS (h2c, prior knowledge) to an instance: many requests over one connection, and another one when its streams
 * are used up. Upgrades go over HTTP/1.1 to the same port, for a WebSocket has no other way that servers commonly know.
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
      // One session is kept: HTTP/2 says goodbye before it closes, so a kept one is no risk, unless its instance is to be frozen.
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
