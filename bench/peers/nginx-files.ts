import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { freePort } from '../../tests/harness/free-port.ts';
import { openRawConnection } from '../../tests/harness/raw-connection.ts';
import { waitFor } from '../../tests/harness/wait-for.ts';

/** nginx with its dav module: PUT stores a file, GET sends it. */
export interface NginxFiles extends AsyncDisposable {
  readonly url: string;
  readonly pid: number;
}

/** Starts it on files below `parent`. Undefined where nginx, or its dav module, is not installed. */
export async function startNginxFiles(parent: string = tmpdir()): Promise<NginxFiles | undefined> {
  const { status, stderr } = spawnSync('nginx', ['-V'], { encoding: 'utf8' });
  if (status !== 0 || !stderr.includes('http_dav_module')) return undefined;
  const folder = mkdtempSync(path.join(parent, 'berth-nginx-files-'));
  const port = await freePort();
  const file = path.join(folder, 'nginx.conf');
  for (const name of ['files', 'incoming']) mkdirSync(path.join(folder, name));
  writeFileSync(file, configOf(folder, port));
  const child = spawn('nginx', ['-e', 'stderr', '-p', folder, '-c', file], { stdio: ['ignore', 'ignore', 'inherit'] });
  await waitFor('nginx listens', async () => {
    const connection = await openRawConnection(port).catch(() => undefined);
    connection?.[Symbol.dispose]();
    return connection;
  });
  return {
    url: `http://127.0.0.1:${port}`,
    pid: child.pid as number,
    [Symbol.asyncDispose]: () => close(child, folder),
  };
}

function configOf(folder: string, port: number): string {
  return `
daemon off;
${process.getuid?.() === 0 ? 'user root;' : ''}
worker_processes 1;
pid ${folder}/nginx.pid;
events { worker_connections 256; }
http {
  access_log off;
  sendfile on;
  client_max_body_size 0;
  client_body_temp_path ${folder}/incoming;
  proxy_temp_path ${folder}/proxy;
  fastcgi_temp_path ${folder}/fastcgi;
  uwsgi_temp_path ${folder}/uwsgi;
  scgi_temp_path ${folder}/scgi;
  server {
    listen 127.0.0.1:${port};
    root ${folder}/files;
    location / { dav_methods PUT; create_full_put_path on; }
  }
}
`;
}

async function close(child: ChildProcess, folder: string): Promise<void> {
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  await ended;
  await rm(folder, { recursive: true, force: true });
}
