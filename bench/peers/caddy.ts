import type { PeerRecipe } from './peer.ts';

/** Caddy, with its own fields in the log, of which there are more. It keeps 32 connections to an upstream unless told, which 64 clients would make it open and close all the time. */
export const CADDY: PeerRecipe = {
  name: 'caddy',
  program: 'caddy',
  versionWords: ['version'],
  config: ({ port, tlsPort, upstream, folder, certificate }) => `
{
  admin off
  auto_https off
  log {
    level ERROR
  }
}
(proxy) {
  bind 127.0.0.1
  log {
    output file ${folder}/caddy-access.log {
      roll_disabled
    }
    format json
  }
  reverse_proxy ${upstream.host}:${upstream.port} {
    transport http {
      keepalive_idle_conns_per_host 512
    }
  }
}
http://:${port} {
  import proxy
}
https://:${tlsPort} {
  tls ${certificate.certFile} ${certificate.keyFile}
  import proxy
}
`,
  startWords: ({ file }) => ['run', '--adapter', 'caddyfile', '--config', file],
};
