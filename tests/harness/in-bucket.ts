import { afterAll, beforeAll, describe } from 'vitest';
import {
  findS3Server,
  NO_S3_SERVER,
  type S3Server,
  startS3Server,
} from '../../packages/object-store/src/s3/testing/start-s3-server.ts';
import { type Berth, startBerth } from './berth.ts';

/** A server of Berth's that keeps something in a bucket, and the server of that bucket. There within tests only. */
export interface InBucket {
  readonly berth: Berth;
  readonly server: S3Server;
}

/** Describes what holds when `variable` names a bucket; skipped, with the reason, where there is no server that speaks S3. */
export function describeInBucket(what: string, variable: string, define: (place: InBucket) => void): void {
  const program = findS3Server();
  if (!program && process.env['CI'] === 'true') throw new Error(`CI must have everything, and this ${NO_S3_SERVER}`);
  describe.skipIf(!program)(program ? `${what} in a bucket` : `${what} in a bucket: ${NO_S3_SERVER}`, () => {
    let server: S3Server;
    let berth: Berth;
    beforeAll(async () => {
      server = await startS3Server(program as string);
      const { bucket, endpoint, credentials } = server.options;
      berth = await startBerth({
        env: {
          [variable]: bucket,
          BERTH_S3_ENDPOINT: endpoint,
          BERTH_S3_ACCESS_KEY_ID: credentials.accessKeyId,
          BERTH_S3_SECRET_ACCESS_KEY: credentials.secretAccessKey,
        },
      });
    });
    afterAll(async () => {
      await berth?.close();
      await server?.close();
    });
    define({
      get berth() {
        return berth;
      },
      get server() {
        return server;
      },
    });
  });
}
