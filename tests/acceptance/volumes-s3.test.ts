import { expect, it } from 'vitest';
import { deployed, postDeploy } from '../harness/deploy.ts';
import { expectError, expectIssues, placesOf } from '../harness/error-body.ts';
import { describeInBucket } from '../harness/in-bucket.ts';
import { uniqueName } from '../harness/names.ts';
import { greeter } from '../harness/project-files.ts';
import { request } from '../harness/request.ts';
import { packProject } from '../harness/tar.ts';
import { volumeClient } from '../harness/volumes.ts';

describeInBucket('volumes', 'BERTH_S3_BUCKET', (place) => {
  it('go in and out by the bucket’s own URLs', async () => {
    const volume = volumeClient(place.berth, uniqueName('vol'));
    await volume.create();
    expect((await volume.put('dir/é.txt', 'in a bucket')).status).toBe(200);
    expect(await volume.sign('upload', 'x')).toContain(place.server.options.endpoint);
    expect(await volume.paths()).toEqual(['dir/é.txt']);
    expect(await volume.get('dir/é.txt')).toBe('in a bucket');
    expect(await volume.row()).toMatchObject({ object_count: 1, size_bytes: 11 });
    const resumable = { volume: volume.name, object: 'x', resumable: true };
    await expectError(await place.berth.post('/v1/volume/upload', resumable), 501);
    await place.berth.post('/v1/volume/delete-object', { volume: volume.name, path: 'dir/é.txt' });
    expect(await volume.paths()).toEqual([]);
  });

  it('cannot be mounted, which a deploy is told at its field; an archive in one is deployed', async () => {
    const volume = volumeClient(place.berth, uniqueName('vol'));
    await volume.create();
    const files = greeter('from a bucket');
    const volumes = JSON.stringify({ '/data': volume.name });
    const refused = await expectIssues(
      await postDeploy(place.berth, uniqueName('mounting'), { files, fields: { volumes } }),
    );
    expect([placesOf(refused), refused[0]?.type]).toEqual([['body.volumes'], 'not_mountable']);
    await volume.put('app.tar.gz', new Uint8Array(packProject(files)));
    const name = uniqueName('from-bucket');
    await deployed(place.berth, name, { fields: { source_object: `${volume.name}/app.tar.gz` } });
    expect((await request(place.berth, name)).text).toBe('from a bucket');
  });
});
