import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { homedir, tmpdir } from 'node:os';
import path from 'node:path';
import { CreateBucketCommand, DeleteObjectCommand, ListObjectsV2Command, S3Client } from '@aws-sdk/client-s3';
import type { S3ObjectStoreOptions } from '../create-s3-object-store.ts';

/** A third-party S3 server with one bucket. */
export interface S3Server {
  readonly options: S3ObjectStoreOptions & Required<Pick<S3ObjectStoreOptions, 'endpoint' | 'credentials'>>;
  /** Keys in the bucket, at most a thousand. */
  keys(): Promise<string[]>;
  /** Deletes an object, as a failure of the service would. */
  remove(key: string): Promise<void>;
  close(): Promise<void>;
}

/** Returns the server's program, where `go install` puts it; undefined when it is not installed. */
export function findS3Server(): string | undefined {
  const candidates = ['versitygw', path.join(process.env['GOBIN'] ?? path.join(homedir(), 'go/bin'), 'versitygw')];
  return candidates.find((program) => spawnSync(program, ['--version'], { stdio: 'ignore' }).status === 0);
}

/** Why the S3 tests are skipped, and what to install. */
export const NO_S3_SERVER =
  'needs an S3 server: go install github.com/versity/versitygw/cmd/versitygw@v1.8.0, with its folder on the PATH';

export async function startS3Server(program: string): Promise<S3Server> {
  const folder = mkdtempSync(path.join(tmpdir(), 'berth-s3-'));
  const credentials = { accessKeyId: 'berth-test', secretAccessKey: 'berth-test-secret' };
  const port = await freePort();
  const { accessKeyId, secretAccessKey } = credentials;
  const words = [
    '--access',
    accessKeyId,
    '--secret',
    secretAccessKey,
    '--port',
    `127.0.0.1:${port}`,
    '--quiet',
    'posix',
    folder,
  ];
  const child = spawn(program, words, { stdio: 'ignore' });
  const options = { bucket: 'berth', region: 'us-east-1', endpoint: `http://127.0.0.1:${port}`, credentials };
  await createBucket(options);
  return {
    options,
    async keys() {
      const client = new S3Client({ ...options, forcePathStyle: true });
      const list = await client.send(new ListObjectsV2Command({ Bucket: options.bucket }));
      client.destroy();
      return (list.Contents ?? []).map((item) => item.Key ?? '');
    },
    async remove(key) {
      const client = new S3Client({ ...options, forcePathStyle: true });
      await client.send(new DeleteObjectCommand({ Bucket: options.bucket, Key: key }));
      client.destroy();
    },
    async close() {
      const ended = once(child, 'exit');
      child.kill();
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** The client itself retries until the server responds. */
async function createBucket({ bucket, ...options }: S3Server['options']): Promise<void> {
  const client = new S3Client({ ...options, forcePathStyle: true, maxAttempts: 30 });
  await client.send(new CreateBucketCommand({ Bucket: bucket }));
  client.destroy();
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return port;
}
