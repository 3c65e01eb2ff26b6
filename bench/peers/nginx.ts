import type { PeerRecipe } from './peer.ts';

/**
 * nginx: one worker. Bodies are passed on as they arrive, as Berth does, not collected first. Source of the kept upstream
 * connections: nginx.org, ngx_http_upstream_module, `keepalive`.
 */
export const NGINX: PeerRecipe = {
  name: 'nginx',
  program: 'nginx',
  versionWords: ['-v'],
  config: ({ port, tlsPort, upstream, folder, certificate }) => `
daemon off;
${process.getuid?.() === 0 ? 'user root;' : ''}
worker_processes 1;
pid ${folder}/nginx.pid;
error_log stderr error;
events { worker_connections 8192; }
http {
  log_format requests escape=json '{"timestamp":"$time_iso8601","severity":"INFO","method":"$request_method","url":"$request_uri",'
    '"host":"$host","protocol":"$server_protocol","status":$status,"latency":$request_time,"requestSize":$request_length,'
    '"responseSize":$bytes_sent,"remoteIp":"$remote_addr","userAgent":"$http_user_agent","trace":"$request_id",'
    '"instance":"$upstream_addr"}';
  access_log ${folder}/access.log requests buffer=64k flush=1s;
  keepalive_requests 1000000000;
  client_max_body_size 0;
  map $http_upgrade $upstream_connection { default upgrade; '' ''; }
  client_body_temp_path ${folder}/body;
  proxy_temp_path ${folder}/proxy;
  fastcgi_temp_path ${folder}/fastcgi;
  uwsgi_temp_path ${folder}/uwsgi;
  scgi_temp_path ${folder}/scgi;
  upstream app {
    server ${upstream.host}:${upstream.port};
    keepalive 512;
    keepalive_requests 1000000000;
  }
  server {
    listen 127.0.0.1:${port} backlog=1024;
    listen 127.0.0.1:${tlsPort} ssl http2 backlog=1024;
    ssl_certificate ${certificate.certFile};
    ssl_certificate_key ${certificate.keyFile};
    ssl_session_cache shared:tls:10m;
    location / {
      proxy_pass http://app;
      proxy_http_version 1.1;
      proxy_request_buffering off;
      proxy_max_temp_file_size 0;
      proxy_set_header Upgrade $http_upgrade;
      proxy_set_header Connection $upstream_connection;
      proxy_set_header Host $http_host;
      proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
    }
  }
}
`,
  startWords: ({ file, folder }) => ['-e', 'stderr', '-p', folder, '-c', file],
};
