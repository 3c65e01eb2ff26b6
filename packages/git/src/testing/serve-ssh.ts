import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import ssh from 'ssh2';

/** An SSH server of repositories for tests. */
export interface SshServer extends AsyncDisposable {
  /** Such as `ssh://git@127.0.0.1:1234`. */
  readonly url: string;
  /** Fingerprint of its host key. */
  readonly hostKey: string;
  /** Commands that were asked for. */
  readonly commands: readonly string[];
}

/**
 * Serves the repositories of a folder over SSH to the holder of a key.
 * @param authorized public key, as a line of `authorized_keys`.
 */
export async function serveOverSsh(
  folder: string,
  authorized: string,
  { port = 0, version = '2' }: { readonly port?: number; readonly version?: string } = {},
): Promise<SshServer> {
  const host = ssh.utils.generateKeyPairSync('ed25519');
  const parsed = ssh.utils.parseKey(authorized);
  if (parsed instanceof Error) throw parsed;
  const commands: string[] = [];
  const server = new ssh.Server({ hostKeys: [host.private] }, (client) => {
    client.on('error', () => {});
    client.on('authentication', (context) => {
      if (context.method !== 'publickey') return context.reject(['publickey']);
      const isKnown = context.key.data.equals(parsed.getPublicSSH());
      const isSigned = !context.signature || parsed.verify(context.blob as Buffer, context.signature) === true;
      if (isKnown && isSigned) context.accept();
      else context.reject();
    });
    client.on('session', (accept) => {
      const session = accept();
      session.on('env', (take) => take?.());
      session.on('exec', (take, _refuse, { command }) => {
        commands.push(command);
        const channel = take();
        const [, path = ''] = /^git-upload-pack '(.*)'$/.exec(command) ?? [];
        const child = spawn('git', ['-c', 'uploadpack.allowAnySHA1InWant=true', 'upload-pack', join(folder, path)], {
          env: { ...process.env, GIT_PROTOCOL: `version=${version}` },
        });
        child.stdin.on('error', () => {});
        channel.pipe(child.stdin);
        child.stdout.pipe(channel, { end: false });
        child.stderr.pipe(channel.stderr, { end: false });
        child.on('close', (code) => {
          channel.exit(code ?? 1);
          channel.end();
        });
      });
    });
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const key = ssh.utils.parseKey(host.public);
  if (key instanceof Error) throw key;
  return {
    url: `ssh://git@127.0.0.1:${(server.address() as AddressInfo).port}`,
    hostKey: `SHA256:${createHash('sha256').update(key.getPublicSSH()).digest('base64').replace(/=+$/, '')}`,
    commands,
    [Symbol.asyncDispose]: () => new Promise((resolve) => void server.close(() => resolve())),
  };
}
