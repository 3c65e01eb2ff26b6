import type { PeerRecipe } from './peer.ts';

/** Traefik, with its file provider. Its access log is JSON with its own fields, written in batches of 100 lines. */
export const TRAEFIK: PeerRecipe = {
  name: 'traefik',
  program: 'traefik',
  howToGet: 'bench/README.md says how to build it',
  versionWords: ['version'],
  extension: 'yml',
  config: ({ upstream, certificate }) => `
http:
  routers:
    plain: { rule: "PathPrefix(\`/\`)", entryPoints: [web], service: app }
    encrypted: { rule: "PathPrefix(\`/\`)", entryPoints: [websecure], service: app, tls: {} }
  services:
    app: { loadBalancer: { servers: [{ url: "http://${upstream.host}:${upstream.port}" }] } }
tls:
  certificates:
    - { certFile: ${certificate.certFile}, keyFile: ${certificate.keyFile} }
`,
  startWords: ({ port, tlsPort, file, folder }) => [
    `--entryPoints.web.address=127.0.0.1:${port}`,
    `--entryPoints.websecure.address=127.0.0.1:${tlsPort}`,
    `--providers.file.filename=${file}`,
    '--serversTransport.maxIdleConnsPerHost=512',
    `--accessLog.filePath=${folder}/traefik-access.log`,
    '--accessLog.format=json',
    '--accessLog.bufferingSize=100',
    '--accessLog.fields.headers.names.User-Agent=keep',
    '--log.level=ERROR',
    '--global.checkNewVersion=false',
    '--global.sendAnonymousUsage=false',
  ],
};
