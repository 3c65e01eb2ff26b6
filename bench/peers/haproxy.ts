import type { PeerRecipe } from './peer.ts';

/** Times are in milliseconds. Source: HAProxy 2.6, configuration manual, 8.2.4 Custom log format. */
const FORMAT =
  '{"timestamp":"%tr","severity":"INFO","method":"%HM","url":"%HU","host":"%[capture.req.hdr(0)]","protocol":"%HV","status":%ST,"latency":%Ta,"requestSize":%U,"responseSize":%B,"remoteIp":"%ci","userAgent":"%[capture.req.hdr(1)]","trace":"%ID","instance":"%si:%sp"}';

/** HAProxy: one thread. It writes its log to standard output, a line at a time. */
export const HAPROXY: PeerRecipe = {
  name: 'haproxy',
  program: 'haproxy',
  versionWords: ['-v'],
  config: ({ port, tlsPort, upstream, certificate }) => `
global
  nbthread 1
  maxconn 8192
  log stdout format raw local0 info
defaults
  mode http
  log global
  unique-id-format %{+X}o%ci%cp%Ts%rt%pid
  log-format '${FORMAT}'
  timeout connect 5s
  timeout client 60s
  timeout server 60s
  timeout tunnel 60s
  http-reuse always
frontend public
  bind 127.0.0.1:${port} backlog 1024
  bind 127.0.0.1:${tlsPort} backlog 1024 ssl crt ${certificate.certAndKeyFile} alpn h2,http/1.1
  capture request header Host len 100
  capture request header User-Agent len 200
  default_backend app
backend app
  option forwardfor
  server app ${upstream.host}:${upstream.port}
`,
  startWords: ({ file }) => ['-db', '-f', file],
};
