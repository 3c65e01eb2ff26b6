import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';

const run = promisify(execFile);

const PERSON = { GIT_AUTHOR_NAME: 'A', GIT_AUTHOR_EMAIL: 'a@example.com' };
const ENVIRONMENT = {
  ...process.env,
  ...PERSON,
  ...{ GIT_COMMITTER_NAME: 'A', GIT_COMMITTER_EMAIL: 'a@example.com' },
  ...{ GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: '/dev/null', GIT_TERMINAL_PROMPT: '0' },
};

/** Runs Git as a developer does. Returns its output. */
export async function git(folder: string, ...args: string[]): Promise<string> {
  const { stdout } = await run('git', ['-c', 'protocol.file.allow=always', ...args], { cwd: folder, env: ENVIRONMENT });
  return stdout.trim();
}

/** A Git server for tests. */
export interface GitServer extends AsyncDisposable {
  readonly url: string;
  /** Requests, as `GET /shop/info/refs?… Basic …`. */
  readonly requests: readonly string[];
}

/** Serves the repositories of a folder with Git's own server, for readers. */
export async function serveRepositories(folder: string, password?: string): Promise<GitServer> {
  const requests: string[] = [];
  const server = createServer(async (request, response) => {
    const { method = '', url = '', headers } = request;
    requests.push(`${method} ${url} ${headers.authorization ?? ''}`);
    const [path = '', query = ''] = url.split('?');
    if (path.startsWith('/moved/')) {
      response.writeHead(302, { Location: url.replace('/moved', '') }).end();
      return;
    }
    const wanted = password && `Basic ${Buffer.from(`x:${password}`).toString('base64')}`;
    if (wanted && headers.authorization !== wanted) {
      response.writeHead(401).end();
      return;
    }
    const child = spawn('git', ['http-backend'], {
      env: {
        ...ENVIRONMENT,
        ...{ GIT_PROJECT_ROOT: folder, GIT_HTTP_EXPORT_ALL: '1', PATH_INFO: path, QUERY_STRING: query },
        ...{ REQUEST_METHOD: method, CONTENT_TYPE: headers['content-type'] ?? '', GIT_PROTOCOL: 'version=2' },
        CONTENT_LENGTH: headers['content-length'] ?? '',
      },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    request.pipe(child.stdin);
    const output = Buffer.concat(await Array.fromAsync(child.stdout as AsyncIterable<Buffer>));
    const end = output.indexOf('\r\n\r\n');
    const fields = output
      .subarray(0, end)
      .toString('latin1')
      .split('\r\n')
      .map((line) => line.split(': '));
    const status = Number(fields.find(([name]) => name === 'Status')?.[1]?.slice(0, 3) ?? 200);
    response.writeHead(status, Object.fromEntries(fields.filter(([name]) => name !== 'Status')));
    response.end(output.subarray(end + 4));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
    },
  };
}
