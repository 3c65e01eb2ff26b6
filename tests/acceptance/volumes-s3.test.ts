import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  findS3Server,
  NO_S3_SERVER,
  type S3Server,
  startS3Server,
} from '../../packages/object-store-s3/src/testing/start-s3-server.ts';
import { type Berth, startBerth } from '../harness/berth.ts';
import { deployed, postDeploy } from '../harness/deploy.ts';
import { expectError, expectIssues, placesOf } from '../harness/error-body.ts';
import { uniqueName } from '../harness/names.ts';
import { greeter } from '../harness/project-files.ts';
import { request } from '../harness/request.ts';
import { packProject } from '../harness/tar.ts';
import { volumeClient } from '../harness/volumes.ts';

const program = findS3Server();
if (!program && process.env['CI'] === 'true') throw new Error(`CI must have everything, and this ${NO_S3_SERVER}`);

describe.skipIf(!program)(program ? 'volumes in a bucket' : `volumes in a bucket: ${NO_S3_SERVER}`, () => {
  let server: S3Server;
  let berth: Berth;
  beforeAll(async () => {
    server = await startS3Server(program as string);
    const { bucket, endpoint, credentials } = server.options;
    berth = await startBerth({
      env: {
        BERTH_S3_BUCKET: bucket,
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

  it('go in and out by the bucket’s own URLs', async () => {
    const volume = volumeClient(berth, uniqueName('vol'));
    await volume.create();
    expect((await volume.put('dir/é.txt', 'in a bucket')).status).toBe(200);
    expect(await volume.sign('upload', 'x')).toContain(server.options.endpoint);
    expect(await volume.paths()).toEqual(['dir/é.txt']);
    expect(await volume.get('dir/é.txt')).toBe('in a bucket');
    expect(await volume.row()).toMatchObject({ object_count: 1, size_bytes: 11 });
    const resumable = { volume: volume.name, object: 'x', resumable: true };
    await expectError(await berth.post('/v1/volume/upload', resumable), 501);
    await berth.post('/v1/volume/delete-object', { volume: volume.name, path: 'dir/é.txt' });
    expect(await volume.paths()).toEqual([]);
  });

  it('can not be mounted, which a deploy is told at its field; an archive in one is deployed', async () => {
    const volume = volumeClient(berth, uniqueName('vol'));
    await volume.create();
    const files = greeter('from a bucket');
    const volumes = JSON.stringify({ '/data': volume.name });
    const refused = await expectIssues(await postDeploy(berth, uniqueName('mounting'), { files, fields: { volumes } }));
    expect([placesOf(refused), refused[0]?.type]).toEqual([['body.volumes'], 'not_mountable']);
    await volume.put('app.tar.gz', new Uint8Array(packProject(files)));
    const name = uniqueName('from-bucket');
    await deployed(berth, name, { fields: { source_object: `${volume.name}/app.tar.gz` } });
    expect((await request(berth, name)).text).toBe('from a bucket');
  });
});
