import type { PeerRecipe } from './peer.ts';

/** HAProxy: one thread. */
export const HAPROXY: PeerRecipe = {
  name: 'haproxy',
  program: 'haproxy',
  versionWords: ['-v'],
  config: ({ port, upstreamPort }) => `
global
  nbthread 1
  maxconn 4096
defaults
  mode http
  timeout connect 5s
  timeout client 60s
  timeout server 60s
  http-reuse always
frontend public
  bind 127.0.0.1:${port} backlog 1024
  default_backend app
backend app
  option forwardfor
  server app 127.0.0.1:${upstreamPort}
`,
  startWords: (file) => ['-db', '-f', file],
};
